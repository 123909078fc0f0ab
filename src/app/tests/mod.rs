mod typing;
