// Shows the contract of the server that sent this page; nothing is fetched from anywhere else.
/** @type {any} */ (globalThis).SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#documentation",
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  // Omits cookies of other programs on this host.
  requestInterceptor: (/** @type {object} */ request) => ({ ...request, credentials: "omit" }),
});
