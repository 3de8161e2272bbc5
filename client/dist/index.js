// The client of the Jobwright API.
export { ConflictError, JobwrightError, NotFoundError, RateLimitError, ScopeError, TimeoutError, WebhookError, } from './errors.js';
export { Jobwright } from './jobwright.js';
export { JobwrightOAuth, } from './oauth.js';
export { etagOf } from './transport.js';
export { verifyWebhook } from './webhooks.js';
