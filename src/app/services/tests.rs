mod judging;
