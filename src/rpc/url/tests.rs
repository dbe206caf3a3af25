//! What reading a URL promises beyond the vectors.

use super::*;

#[test]
fn printing_gives_what_was_read() {
    for text in ["", "dubbo", "file:/a/b", "dubbo://u:p@h:1//a?b&=c;default.d=1#x", "fe80::1%en0", "a=b?c=d"] {
        assert_eq!(Url::parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn a_bracketed_host_needs_no_port() {
    let url = Url::parse("dubbo://[::1]/a").unwrap();
    assert_eq!((url.host(), url.port(), url.address()), (Some("[::1]"), None, Some("[::1]")));
}

#[test]
fn an_odd_spelling_of_the_port_is_read_as_its_number() {
    let url = Url::parse("dubbo://h:007/a").unwrap();
    assert_eq!((url.port(), url.raw("port"), url.address()), (Some(7), Some("7"), Some("h:7")));
}

#[test]
fn a_wrong_port_is_an_error_with_its_place() {
    let error = Url::parse("dubbo://h:x1/a").unwrap_err();
    assert_eq!(
        (error.offset(), error.to_string().as_str()),
        (10, "expected a port number after the last `:` of the address, found `x1`")
    );
}

#[test]
fn debug_output_never_shows_a_password() {
    assert!(!format!("{:?}", Url::parse("dubbo://u:secret@h:1/a").unwrap()).contains("secret"));
}

#[test]
fn a_url_that_lists_its_methods_has_no_parameters_of_another() {
    let listing = Url::parse("dubbo://h:1/S?methods=find,save&find.timeout=3&load.timeout=2&timeout=1").unwrap();
    assert_eq!(listing.method_parameter("find", "timeout"), Some("3"));
    assert_eq!(listing.method_parameter("load", "timeout"), Some("1"));
    assert_eq!(Url::parse("dubbo://h:1/S?a.b.c=3").unwrap().method_parameter("a.b", "c"), None);
}

#[test]
fn a_port_without_a_host_is_an_error_with_its_place() {
    let error = Url::parse("dubbo://u@:20880/a").unwrap_err();
    assert_eq!((error.offset(), error.to_string().as_str()), (10, "expected a host before the port `20880`"));
    assert_eq!(Url::parse("dubbo://:0/a").unwrap().address(), None);
}
