// What a newcomer reads first: the rules that hold for every operation, as Markdown.
import type { Config } from '../../config/config.ts'
import type { ScopeCatalogue } from '../../operations/scope-catalogue.ts'

export const introduction = (config: Config, { bundles }: ScopeCatalogue): string =>
  `
Jobwright keeps the customers, devices, jobs, catalogue and calendar of a repair shop or field-service firm. This interface
gives programs access to the data of one organisation. People say *job*; addresses and scopes say *ticket*.

## First request

Make an API key (\`npm run -s jobwright -- key create --org ORG --scopes read\`), then read the organisation it belongs to:

\`\`\`sh
curl ${config.restOrigin}/api/v1/organisations/$ORG_ID -H "X-API-Key: $API_KEY"
\`\`\`

A key can also be sent as \`Authorization: Bearer <API_KEY>\`. It belongs to one organisation, which needs a Pro
subscription or a trial.

An app that works for others uses OAuth 2.1 instead: everything it needs to know is at
\`${config.authUrl}/.well-known/oauth-authorization-server\`. It registers itself (or hosts a document about itself), sends an
admin to \`/authorize\` with PKCE, and is given a token for one organisation that works here and for MCP.

## Answers

Every answer is JSON. Success is \`{"success": true, "data": …}\`; a record is \`data\` itself, a list stands in \`data\`
under its name. Every field is always there: what has no value is \`null\`. Date-times are in UTC
(\`2026-11-15T09:00:00.000Z\`); those you send carry any offset.

202 means that the work was begun and goes on without you: do not send it again, and read how far it is from the customer's
\`deletion\` or the schedule's \`pendingWork\`.

## Writing

Bodies are JSON (\`Content-Type: application/json\`) of at most 1 MB. PUT changes the fields you send and leaves the
others; PATCH is the same. Fields that are not known are ignored and named in the header \`X-Ignored-Fields\`, so a record
that was read can be sent back whole. Empty text is \`null\` in a field that may be empty. Text holds no control characters
but tab and newline; date-times and days lie between 1970 and 9999.

Send an \`Idempotency-Key\` with a POST to repeat it safely: for 24 hours a repetition is given the first answer, and
nothing is done twice. Without one, do not repeat a create whose outcome is uncertain.

## Two at once

An answer that is one record carries its version as \`ETag\`. Send that as \`If-Match\` with PUT, PATCH or DELETE, and nothing is
done if somebody else has changed the record since: the answer is 412, \`code\` \`PRECONDITION_FAILED\`, and \`data.current\` is the
new ETag. Read the record again, look at what changed, and send yours again. Of several requests with the same ETag exactly one
is carried out. A GET with \`If-None-Match\` is answered 304, without a body, while nothing has changed.

## Pages

Lists take \`limit\` (1 to 100, 50 unless given; more is read as 100) and \`startAfter\`. While
\`data.pagination.hasMore\` is true, ask again with \`startAfter\` set to \`data.pagination.nextCursor\`.

## Scopes

Each operation names the scopes it needs. \`write\` and \`delete\` include \`read\`, but not each other. The bundles
${Object.keys(bundles)
  .map((name) => `\`${name}\``)
  .join(', ')} stand for every \`:read\`, every \`:read\` and \`:write\`, and everything.

## Errors and retries

An error is \`{"success": false, "error": "…"}\` with a sentence, and a \`code\` where a program must tell cases apart.

| Status | Meaning | Send it again? |
|---|---|---|
| 400, 413, 415, 431 | the request is wrong | after mending it |
| 401, 403 | the credential is wrong, or does not allow this | with another credential |
| 404 | there is no such record | no |
| 409 | a rule is in the way; \`code\` says which | after resolving it |
| 412 | somebody has changed the record (\`If-Match\`) | after reading it again |
| 429 | too many requests | after the \`Retry-After\` seconds |
| 500, 502, 503, 504 | our fault | with growing pauses, a few times |

Errors from 500 on carry a \`requestId\`: quote it to support.

## Limits

${config.rateLimitPerMinute} requests a minute for each API key, and for each app in an organisation. \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and
\`X-RateLimit-Reset\` (seconds since 1970) stand on every answer.
`.trim()
