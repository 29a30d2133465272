/** Tries what the program never needs, under its permissions; prints what each try came to, as JSON. */

const TRIES: Record<string, () => unknown> = {
  write: () => Deno.writeTextFileSync(`${Deno.args[0]}/written`, "x"),
  remove: () => Deno.removeSync(`${Deno.args[0]}/kept`),
  connect: () => Deno.connect({ hostname: "192.0.2.1", port: 80 }),
  resolve: () => Deno.resolveDns("example.org", "A"),
  listenEverywhere: () => Deno.listen({ hostname: "0.0.0.0", port: 0 }).close(),
  run: () =>
    new Deno.Command(Deno.build.os === "windows" ? "cmd.exe" : "sh", { args: ["-c", ":"] }).outputSync(),
  runDialogUnderOtherPath: () => new Deno.Command(`${Deno.args[0]}/zenity`).outputSync(),
  environment: () => Deno.env.get("HOME"),
  system: () => Deno.hostname(),
  library: () => Deno.dlopen("/nonexistent.so", {}),
  importRemote: () => import(String("https://esm.sh/left-pad")),
  importPackageHost: () => import(String("https://jsr.io/@std/path/meta.json")),
  // What it does need, so that the refusals above mean something.
  read: () => Deno.readTextFileSync(`${Deno.args[0]}/kept`),
  listen: () => Deno.listen({ hostname: "127.0.0.1", port: 0 }).close(),
  display: () => Deno.env.get("DISPLAY"),
};

const outcomes: Record<string, string> = {};
for (const [name, attempt] of Object.entries(TRIES)) {
  try {
    await attempt();
    outcomes[name] = "done";
  } catch (error) {
    const { name: kind, message } = error as Error;
    const reason = /permission|access/i.test(message)
      ? ", permission"
      : /^Module not found/.test(message)
      ? ", not found"
      : "";
    outcomes[name] = kind + reason;
  }
}
console.log(JSON.stringify(outcomes));
