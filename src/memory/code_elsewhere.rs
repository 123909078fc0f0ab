//! Where the pages of the program's code are the system's business.

pub fn forget() {}
