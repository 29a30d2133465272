/** Shows the contract of the server that sent this page; nothing is fetched from anywhere else. */

/** Script of Swagger UI, which the page loads before this one. */
declare const SwaggerUIBundle: (options: object) => void;

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#documentation",
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  // Omits cookies of other programs on this host.
  requestInterceptor: (request: object) => ({ ...request, credentials: "omit" }),
});
