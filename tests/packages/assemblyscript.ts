// deno.json leads the names of packages that only tests use to this folder, so that serving does not install them.
export { default } from "npm:assemblyscript@0.27.37/asc";
