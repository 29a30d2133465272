/** Swagger UI as text inside the program: embedded by `deno compile`, in memory once the docs page is opened. */
import css from "npm:swagger-ui-dist@5.35.0/swagger-ui.css" with { type: "text" };
import bundle from "npm:swagger-ui-dist@5.35.0/swagger-ui-bundle.js" with { type: "text" };

/** Files by name. */
export const SWAGGER_FILES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  "swagger-ui.css": css,
  "swagger-ui-bundle.js": bundle,
});
