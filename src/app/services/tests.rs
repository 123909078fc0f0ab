mod judging;

use std::path::Path;

use super::holds_home;

#[test]
fn a_home_directory_and_what_holds_it_is_not_followed() {
    let home = Some(Path::new("/home/me"));
    for all in ["/", "/home", "/home/me"] {
        assert!(holds_home(Path::new(all), home), "{all}");
    }
    for project in ["/home/me/src", "/home/you", "/srv"] {
        assert!(!holds_home(Path::new(project), home), "{project}");
    }
    assert!(!holds_home(Path::new("/srv"), None));
}
