// deno.json leads the names of packages that only tests use to this folder, so that serving does not install them.
export * from "npm:fast-check@4.10.2";
export { default } from "npm:fast-check@4.10.2";
