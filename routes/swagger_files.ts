/**
 * Swagger UI as texts under the names of its files. deno.json does not name the package, or `deno task` would install it.
 */
export { default as "swagger-ui.css" } from "npm:swagger-ui-dist@5.35.0/swagger-ui.css" with { type: "text" };
export { default as "swagger-ui-bundle.js" } from "npm:swagger-ui-dist@5.35.0/swagger-ui-bundle.js" with {
  type: "text",
};
