//! Commands print what the documents show.

use super::common::{Said, json, suffrage_in};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use suffrage::algorithms::{Algorithm, Group};

const DOCUMENTS: [&str; 2] = ["errata.md", "sources.md"];

/// Replaces each run of white space by one blank.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The output of commands. Each command is run once.
pub(crate) struct Shell<'a> {
    folder: &'a Path,
    known: BTreeMap<String, String>,
}

impl<'a> Shell<'a> {
    /// Creates one whose commands run in this folder.
    pub(crate) fn new(folder: &'a Path) -> Self {
        Self { folder, known: BTreeMap::new() }
    }

    pub(crate) fn run(&mut self, command: &str) -> Option<String> {
        let words = command.strip_prefix("suffrage ")?;
        if let Some(known) = self.known.get(command) {
            return Some(known.clone());
        }
        let said = suffrage_in(self.folder, words.split_whitespace());
        assert!(said.code < 2, "{command}: {}", said.err);
        self.known.insert(command.to_owned(), said.out.clone());
        Some(said.out)
    }
}

/// Checks that the lines below a command, in a console block, are lines of its output or begin such
/// lines, in order; others may be between them. Returns the number of commands.
pub(crate) fn check_blocks(shell: &mut Shell<'_>, name: &str, text: &str) -> usize {
    let mut commands = 0;
    for block in text.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        let mut printed = Vec::<String>::new().into_iter();
        for line in block.lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                let out = shell.run(command).unwrap_or_else(|| panic!("{name}: {command}"));
                printed = out.lines().map(plain).collect::<Vec<_>>().into_iter();
                commands += 1;
            } else {
                let wanted = plain(line);
                let found = printed.any(|line| line.starts_with(&wanted));
                assert!(found, "{name}: not printed, or not in this order: {line}");
            }
        }
    }
    commands
}

/// Checks that a picture of a document is what a command has drawn; `UPDATE_GOLDEN=1` writes it.
pub(crate) fn is_kept(picture: &Path, made: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(picture.parent().unwrap()).unwrap();
        fs::write(picture, made).unwrap();
    }
    let kept = fs::read_to_string(picture).unwrap_or_default();
    assert!(kept == made, "{} is another one: UPDATE_GOLDEN=1 writes it", picture.display());
}

/// Checks that in a row of a table, `a statement | commands | what they showed`, every code span of
/// the last cell is printed by each command of the one before. Returns the number of commands.
fn check_tables(shell: &mut Shell<'_>, name: &str, text: &str) -> usize {
    let spans = |cell: &str| -> Vec<String> {
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let mut commands = 0;
    for line in text.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<_> = line.split(" | ").collect();
        let [.., command, showed] = cells.as_slice() else { continue };
        for out in spans(command).iter().filter_map(|command| shell.run(command)) {
            let printed = plain(&out);
            for wanted in spans(showed) {
                assert!(printed.contains(&plain(&wanted)), "{name}: `{wanted}` of {line}");
            }
            commands += 1;
        }
    }
    commands
}

#[test]
fn documents_say_what_commands_print() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/why");
    let folder = tempfile::tempdir().unwrap();
    let mut shell = Shell::new(folder.path());
    for name in DOCUMENTS {
        let text = fs::read_to_string(docs.join(name)).unwrap();
        let commands =
            check_blocks(&mut shell, name, &text) + check_tables(&mut shell, name, &text);
        assert!(commands > 20, "{name}: {commands} commands");
    }
}

/// Every bound of the catalogue, with its standing and its source, by network.
#[test]
fn the_table_of_bounds_is_that_of_the_catalogue() {
    const HEAD: &str = "|---|---|---|---|---|---|---|\n";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/algorithms.md");
    let text = fs::read_to_string(&file).unwrap();
    let listed = json("algorithms");
    let network = |of: &Algorithm| {
        let row = listed.as_array().unwrap().iter().find(|row| row["name"] == of.name).unwrap();
        row["network"].as_str().unwrap().to_owned()
    };
    let row = |of: &Algorithm| {
        let claims = &of.claims;
        let cells = [
            format!("`{}`", of.name),
            network(of),
            claims.rule.words().to_owned(),
            claims.election.stated().signed(),
            claims.announcement.stated().signed(),
            claims.time.map_or_else(|| "—".to_owned(), |time| time.stated().signed()),
            of.paper.to_owned(),
        ];
        format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
    };
    let of = |group: &'static Group| Algorithm::correct().filter(|row| group.has(row));
    let rows: String = Group::ALL.iter().flat_map(of).map(row).collect();
    let (before, table) = text.split_once(HEAD).unwrap();
    let kept = table.split_inclusive('\n').take_while(|line| line.starts_with('|'));
    let after = &table[kept.map(str::len).sum()..];
    is_kept(&file, &format!("{before}{HEAD}{rows}{after}"));
}

/// The tests that the errata name exist.
#[test]
fn the_errata_name_what_there_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let errata = fs::read_to_string(root.join("docs/why/errata.md")).unwrap();
    let folders = [
        "lab/algorithms/tests/elections",
        "lab/algorithms/src",
        "lab/checker/tests/errata",
        "lab/population/src",
    ];
    let mut code = String::new();
    let mut rest: Vec<_> = folders.iter().map(|folder| root.join(folder)).collect();
    while let Some(path) = rest.pop() {
        if path.is_dir() {
            rest.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            code += &fs::read_to_string(path).unwrap();
        }
    }
    let named = errata.split('`').skip(1).step_by(2);
    let is_test = |name: &&str| {
        name.matches('_').count() >= 4
            && name.chars().all(|c| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    let mut tests = 0;
    for name in named.filter(is_test) {
        assert!(code.contains(&format!("fn {name}(")), "there is no test `{name}`");
        tests += 1;
    }
    assert!(tests > 40, "{tests}");
}

/// Lists the files below a folder, without what is built and what is hidden; `.ci` is read.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        let kind = entry.file_type().unwrap();
        if name == "target" || name == "node_modules" || (name.starts_with('.') && name != ".ci") {
            continue;
        }
        if kind.is_dir() {
            files(&entry.path(), found);
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// What a link of a document leads to is there: a file or folder, and in a document the heading.
#[test]
fn links_between_documents_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut all = Vec::new();
    files(&root, &mut all);
    let (mut links, mut broken) = (0, Vec::new());
    for path in all.iter().filter(|path| path.extension().is_some_and(|kind| kind == "md")) {
        let text = fs::read_to_string(path).unwrap();
        let inline =
            text.split("](").skip(1).filter_map(|rest| rest.split([')', '\n', ' ']).next());
        let below = text.lines().filter(|line| line.starts_with('['));
        let below = below.filter_map(|line| line.split_once("]: ").map(|(_, link)| link));
        // `runs/` has what commands of the lessons write; other schemes are other sites, and Rust's paths.
        let near =
            |link: &&str| !link.is_empty() && !link.contains(':') && !link.starts_with("runs/");
        for link in inline.chain(below).filter(near) {
            links += 1;
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let to =
                if file.is_empty() { path.clone() } else { path.with_file_name("").join(file) };
            let there = fs::metadata(&to).is_ok_and(|to_what| {
                to_what.is_dir() || heading.is_empty() || {
                    let text = fs::read_to_string(&to).unwrap();
                    text.lines().any(|line| line.starts_with('#') && anchor(line) == heading)
                }
            });
            if !there {
                broken.push(format!("{}: {link}", path.strip_prefix(&root).unwrap().display()));
            }
        }
    }
    assert!(links > 200, "{links}");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Documents that code, scripts and other documents name by their paths are there.
#[test]
fn documents_that_are_named_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut all = Vec::new();
    files(&root, &mut all);
    let (mut named, mut missing) = (0, Vec::new());
    for path in all {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for group in ["learn", "use", "reference", "why"] {
            for rest in text.split(&format!("docs/{group}/")).skip(1) {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"/-_.".contains(c));
                let name = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
                named += 1;
                if !root.join("docs").join(group).join(name).exists() {
                    missing.push(format!("{}: docs/{group}/{name}", path.display()));
                }
            }
        }
    }
    assert!(named > 100, "{named}");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The commands of the readme and of the two documents behind it, in their order, without those that need
/// other hosts or a long time. The text beside them says so.
#[test]
fn commands_of_the_readme_run_as_they_are_and_at_once() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let documents = ["README.md", "docs/reference/algorithms.md", "docs/use/elections.md"];
    let text: String =
        documents.iter().map(|name| fs::read_to_string(root.join(name)).unwrap()).collect();
    let folder = tempfile::tempdir().unwrap();
    let square = "<graphml><graph><node id='a'/><node id='b'/><node id='c'/><node id='d'/>\
                  <edge source='a' target='b'/><edge source='b' target='c'/>\
                  <edge source='c' target='d'/><edge source='d' target='a'/></graph></graphml>";
    fs::write(folder.path().join("NETWORK.graphml"), square).unwrap();
    let mut commands = 0;
    for block in text.split("```sh\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        for line in block.lines().filter_map(|line| line.strip_prefix("suffrage ")) {
            let words = line.split(" #").next().unwrap_or_default().trim();
            // It waits for nodes on other hosts.
            if words.starts_with("node ") {
                continue;
            }
            // The sockets of a thousand nodes would be missing to other tests for a minute.
            let words = match words.split(' ').next() {
                Some("cluster") => words.replace("--nodes 1000", "--nodes 100"),
                // A page that is served has no end.
                Some("watch") => format!("{words} --html page.html"),
                _ => words.to_owned(),
            };
            let output = assert_cmd::Command::cargo_bin("suffrage")
                .unwrap()
                .args(words.split_whitespace())
                .current_dir(folder.path())
                .timeout(std::time::Duration::from_secs(60))
                .output();
            let said = Said::from(output.unwrap());
            assert!([0, 1].contains(&said.code), "{words}: {}, {}", said.code, said.err);
            // It announces what takes long.
            assert_eq!(said.err, "", "{words}");
            commands += 1;
        }
    }
    assert!(commands > 20, "{commands}");
}

/// The commands of pages that use what a shell has: files that are written and read again.
#[test]
fn commands_of_the_pages_run_in_a_shell() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let folder = tempfile::tempdir().unwrap();
    let square = "<graphml><graph><node id='a'/><node id='b'/><node id='c'/><node id='d'/>\
                  <edge source='a' target='b'/><edge source='b' target='c'/>\
                  <edge source='c' target='d'/><edge source='d' target='a'/></graph></graphml>";
    fs::write(folder.path().join("NETWORK.graphml"), square).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("suffrage").parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    for name in ["drawings.md", "statistics.md"] {
        let text = fs::read_to_string(docs.join("use").join(name)).unwrap();
        let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
        let lines: Vec<&str> = blocks.flat_map(str::lines).collect();
        assert!(lines.len() >= 7, "{name}");
        for line in lines {
            let output = std::process::Command::new("sh")
                .args(["-c", line])
                .current_dir(folder.path())
                .env("PATH", format!("{}:{path}", program.display()))
                .output();
            let said = Said::from(output.unwrap());
            assert!([0, 1].contains(&said.code), "{line}: {}, {}", said.code, said.err);
            assert_eq!(said.err, "", "{line}");
        }
    }
    // The pictures of the pages are made by their commands: UPDATE_GOLDEN=1 writes them.
    for picture in ["election.svg", "grid.svg", "curves.svg", "rings.svg"] {
        let made = fs::read_to_string(folder.path().join(picture)).unwrap();
        is_kept(&docs.join("pictures").join(picture), &made);
    }
    // And so are those of text.
    let drawings = fs::read_to_string(docs.join("use/drawings.md")).unwrap();
    for (language, file) in [("text", "three.txt"), ("mermaid", "three.mmd"), ("text", "three.log")]
    {
        let made = fs::read_to_string(folder.path().join(file)).unwrap();
        let block = format!("```{language}\n{made}```");
        assert!(drawings.contains(&block), "docs/use/drawings.md has not:\n{block}");
    }
    for drawn in
        ["run.svg", "network.svg", "ring.svg", "ring.tex", "one.svg", "three.dot", "three.json"]
    {
        assert!(fs::metadata(folder.path().join(drawn)).unwrap().len() > 500, "{drawn}");
    }
}

/// A person who opens the readme learns on the first screen whether it is for them.
#[test]
fn the_readme_says_at_once_who_needs_it() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = fs::read_to_string(readme).unwrap();
    let screen: Vec<_> = text.lines().take(30).collect();
    let screen = screen.join("\n");
    let (_, who) = screen.split_once("| you are | type this |").unwrap();
    let (needs, not) = who.split_once("**Who does not need it.**").unwrap();
    for words in ["a researcher", "a lecturer", "a student", "an engineer"] {
        assert!(needs.contains(words), "{words}: {needs}");
    }
    for words in ["a track record", "etcd", "ZooKeeper", "Raft"] {
        assert!(not.contains(words), "{words}: {not}");
    }
}
