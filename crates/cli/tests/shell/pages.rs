//! Pages that a server asks whoever types to open.

use crate::common::ERAS;
use crate::terminal::{CTRL_D, Terminal};

/// A server with one tool, which asks for a page to be opened and says what it was told. It speaks both eras.
const PAGES: &str = r#"
id() { printf '%s' "$1" | sed -n 's/.*"id":\([0-9]*\).*/\1/p'; }
say() { printf '{"jsonrpc":"2.0","id":%s,"result":{%s}}\n' "$(id "$1")" "$2"; }
page='"mode":"url","message":"Sign in","url":"https://a.example/sign?in=1"'
info='"serverInfo":{"name":"pages","version":"1"}'
complete='"resultType":"complete","ttlMs":0,"cacheScope":"private"'
while IFS= read -r line; do
  action=$(printf '%s' "$line" | sed -n 's/.*"action":"\([a-z]*\)".*/\1/p')
  case $line in
    *'"server/discover"'*)
      say "$line" "$complete"',"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"pages","version":"1"}}' ;;
    *'"initialize"'*)
      say "$line" '"protocolVersion":"2025-11-25","capabilities":{"tools":{}},'"$info" ;;
    *'"tools/list"'*)
      say "$line" "$complete"',"tools":[{"name":"sign_in","inputSchema":{"type":"object"}}]' ;;
    *'"inputResponses"'*)
      say "$line" "$complete"',"content":[{"type":"text","text":"it was: '"$action"'"}]' ;;
    *'"tools/call"'*)
      case $line in
        *'io.modelcontextprotocol'*)
          say "$line" '"resultType":"input_required","inputRequests":{"page":{"method":"elicitation/create","params":{'"$page"'}}}' ;;
        *)
          call=$line
          printf '{"jsonrpc":"2.0","id":"page","method":"elicitation/create","params":{%s,"elicitationId":"1"}}\n' "$page" ;;
      esac ;;
    *'"id":"page"'*)
      say "$call" '"content":[{"type":"text","text":"it was: '"$action"'"}]' ;;
  esac
done
"#;

// spec: R368, R369
#[test]
fn a_page_is_shown_with_its_whole_address_and_agreed_to_declined_or_left() {
    for era in ERAS {
        let words = ["shell", "--era", era, "--", "sh", "-c", PAGES];
        let mut shell = Terminal::start(crate::common::HERMES, words, &[("HERMES_HISTORY", "")]);
        for (typed, outcome) in [("y\r", "accept"), ("-\r", "decline"), (CTRL_D, "cancel")] {
            shell.line("call sign_in").sees("asks you to open a page: Sign in");
            shell.sees("\n  https://a.example/sign?in=1\r\n").sees("y says that you go there: ");
            shell.types(typed).sees(&format!("it was: {outcome}"));
        }
        shell.line("call sign_in").sees("you go there: ").types("perhaps\r").sees("write y or -");
        shell.sees("you go there: ").types("yes\r").sees("it was: accept");
        shell.line("q").exits(0);
    }
}
