// The client of the Jobwright API.
export {
  type ConflictCode,
  ConflictError,
  JobwrightError,
  NotFoundError,
  RateLimitError,
  ScopeError,
  TimeoutError,
  WebhookError,
} from './errors.ts'
export type { EventType, FollowQuery, JobwrightEvent } from './events.ts'
export type * from './generated/collections.ts'
export type { ConflictCodes, ConflictData, PermissionCode } from './generated/conflicts.ts'
export type { EventData } from './generated/events.ts'
export type * from './generated/records.ts'
export { type Events, Jobwright } from './jobwright.ts'
export type { List, Page } from './list.ts'
export {
  type Authorization,
  JobwrightOAuth,
  type JobwrightOAuthOptions,
  type TokenStore,
  type Tokens,
} from './oauth.ts'
export type { ChangeOptions, CreateOptions, JobwrightOptions, Options } from './options.ts'
export { etagOf } from './transport.ts'
export { type HeaderSource, verifyWebhook } from './webhooks.ts'
