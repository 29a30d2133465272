/** Texts of Swagger UI by file name. If deno.json listed the package, `deno task` would install it. */
export { default as "swagger-ui.css" } from "npm:swagger-ui-dist@5.35.0/swagger-ui.css" with { type: "text" };
export { default as "swagger-ui-bundle.js" } from "npm:swagger-ui-dist@5.35.0/swagger-ui-bundle.js" with {
  type: "text",
};
