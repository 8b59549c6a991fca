// A page in a browser without a window: node browser.mjs BROWSER PAGE-PORT SERVER-PORT FOLDER
//
// Serves the page at http://127.0.0.1:PAGE-PORT, has the browser open it, and prints what the page wrote into itself.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const [, , BROWSER, PAGE, SERVER, FOLDER] = process.argv;
const PATIENCE_MS = 60_000;
const page = readFileSync(new URL("page.html", import.meta.url));

const told = new Promise((tell) => {
  const pages = createServer(async (request, response) => {
    const isPage = request.method === "GET" && request.url.startsWith("/?");
    response.writeHead(isPage ? 200 : 204, { "content-type": "text/html" });
    response.end(isPage ? page : undefined);
    if (request.method === "POST" && request.url === "/facts") tell(await text(request));
  });
  pages.listen(Number(PAGE), "127.0.0.1");
});

const options = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--no-first-run",
  `--user-data-dir=${FOLDER}`,
  // Without it the browser ends as soon as the page is loaded.
  "--remote-debugging-port=0",
];
const browser = spawn(BROWSER, [...options, `http://127.0.0.1:${PAGE}/?${SERVER}`], {
  stdio: ["ignore", "ignore", "pipe"],
});
let words = "";
browser.stderr.on("data", (chunk) => (words += chunk));
const gone = new Promise((_, fail) => {
  browser.once("error", fail);
  browser.once("exit", (code) => fail(new Error(`the browser ended with ${code}\n${words}`)));
});
const late = new Promise((_, fail) => {
  setTimeout(() => fail(new Error(`the page says nothing\n${words}`)), PATIENCE_MS);
});
let status = 0;
try {
  console.log(await Promise.race([told, gone, late]));
} catch (error) {
  console.error(error.message);
  status = 1;
}
browser.removeAllListeners("exit");
browser.kill();
process.exit(status);
