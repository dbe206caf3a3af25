//! What is held, and how looks differ.

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use hashbrown::HashSet;

use crate::source::folder::watch::events::Signal;
use crate::source::folder::watch::holds::Holds;
use crate::source::folder::watch::look::Difference;
use crate::source::folder::watch::look::Look;
use crate::source::folder::watch::look::Scope;

fn look(folder: &Path, before: &Look) -> Look {
    let none = HashSet::new();
    Look::take(&Scope { folder, further: &[], closely: &none, held: &none }, before)
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.canonicalize().unwrap().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_file_is_held_from_the_first_write_until_it_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, empty) = (write(folder.path(), "a.rules", "a"), write(folder.path(), "b.rules", ""));
    let gone = folder.path().join("gone.rules");
    let (path, empty, gone) = (|| path.clone(), || empty.clone(), || gone.clone());
    for (signals, held) in [
        (vec![Signal::Writing(path())], vec![path()]),
        (vec![Signal::Writing(path()), Signal::Closed(path())], vec![]),
        (vec![Signal::Writing(path()), Signal::Moved(path())], vec![]),
        (vec![Signal::Closed(path()), Signal::Writing(path())], vec![path()]),
        (vec![Signal::Writing(path()), Signal::Created(path())], vec![path()]),
        (vec![Signal::Writing(path()), Signal::Touched(path())], vec![path()]),
        (vec![Signal::Writing(path()), Signal::Lost], vec![]),
        // Linked from elsewhere: whole from the beginning.
        (vec![Signal::Created(path())], vec![]),
        (vec![Signal::Created(empty())], vec![empty()]),
        (vec![Signal::Writing(gone())], vec![]),
    ] {
        let mut holds = Holds::default();
        signals.iter().for_each(|signal| holds.note(signal));
        assert_eq!(holds.current(), held.into_iter().collect(), "{signals:?}");
    }
}

#[test]
fn looks_differ_in_contents_or_in_places() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules");
    let path = write(folder.path(), "rules/a.rules", "=> a=1\n");
    let none = HashSet::new();
    let first = look(folder.path(), &Look::default());
    assert_eq!(first.difference(&look(folder.path(), &first), &none), Difference::Contents(HashSet::new()));

    write(folder.path(), "rules/a.rules", "=> a=22\n");
    let second = look(folder.path(), &first);
    let moving: HashSet<PathBuf> = [path.clone()].into();
    assert_eq!(first.difference(&second, &none), Difference::Contents(moving.clone()));
    assert_eq!(first.difference(&second, &moving), Difference::Contents(HashSet::new()));
    assert!(!second.is_as(&first, &none) && second.is_as(&first, &moving));
    // What waits is still as it was.
    assert!(second.clone().in_force(&first, &moving).0.is_as(&first, &none));

    write(folder.path(), "rules/b.rules", "=> a=1\n");
    let third = look(folder.path(), &second);
    assert_eq!(second.difference(&third, &none), Difference::Places);
    fs::rename(rules.join("b.rules"), rules.join("c.rules")).unwrap();
    assert_eq!(third.difference(&look(folder.path(), &third), &none), Difference::Places);
}

#[test]
fn a_file_that_is_only_touched_holds_what_it_held() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "rules/a.rules", "=> a=1\n");
    let first = look(folder.path(), &Look::default());
    fs::remove_file(&path).unwrap();
    write(folder.path(), "rules/a.rules", "=> a=1\n");
    let second = look(folder.path(), &first);
    assert!(second.is_as(&first, &HashSet::new()));
}
