// Shows the contract of the server that sent this page; nothing is fetched from anywhere else.
/** @type {any} */ (globalThis).SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#documentation",
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  // Cookies of other programs on this host are none of this server's business.
  requestInterceptor: (/** @type {object} */ request) => ({ ...request, credentials: "omit" }),
});
