// Faults in how requests are read and answers are written: types, sizes, text that is none, addresses that are none.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const rest = ['src/rest/rest.test.ts']
const server = ['src/http/server.test.ts']
const execute = ['src/operations/execute.test.ts']

export const bodies: readonly Mutant[] = [
  {
    control: 'what is not called JSON is refused with 415',
    file: 'src/http/request.ts',
    find: "if (isCompressed || !jsonTypeRegex.test(headers['content-type'] ?? '')) throw",
    replace: 'if (isCompressed) throw',
    tests: rest,
  },
  {
    control: 'a compressed body is not opened',
    file: 'src/http/request.ts',
    find: "if (isCompressed || !jsonTypeRegex.test(headers['content-type'] ?? '')) throw",
    replace: "if (!jsonTypeRegex.test(headers['content-type'] ?? '')) throw",
    tests: rest,
  },
  {
    control: 'a body is refused above 1 MB, whether it is announced or not',
    file: 'src/http/request.ts',
    find: 'export const bodyLimit = 1_048_576',
    replace: 'export const bodyLimit = 8 * 1_048_576',
    tests: rest,
  },
  {
    control: 'a body in pieces is refused where it passes 1 MB',
    file: 'src/rest/routes.ts',
    find: "app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, ",
    replace: "app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 8 * bodyLimit }, ",
    tests: rest,
  },
  {
    control: 'bytes that are not UTF-8 are refused',
    file: 'src/http/request.ts',
    find: 'if (!isUtf8(body)) throw',
    replace: 'if (false) throw',
    tests: rest,
  },
  {
    control: 'text with NUL and other controls is refused',
    file: 'src/domain/text.ts',
    find: 'controlCharacters.test(text) || !text.isWellFormed()',
    replace: '!text.isWellFormed()',
    tests: rest,
  },
  {
    control: 'text with half a surrogate pair is refused',
    file: 'src/domain/text.ts',
    find: 'controlCharacters.test(text) || !text.isWellFormed()',
    replace: 'controlCharacters.test(text)',
    tests: rest,
  },
  {
    control: 'fields that nobody declared, __proto__ among them, are left out',
    file: 'src/operations/input.ts',
    find: '    const value: Record<string, unknown> = {}\n    for (const { name, normalize, defaultValue } of fields) {',
    replace:
      '    const value: Record<string, unknown> = { ...input }\n    for (const { name, normalize, defaultValue } of fields) {',
    tests: rest,
  },
  {
    control: 'a parameter is given once',
    file: 'src/operations/input.ts',
    find: 'if (Array.isArray(value)) throw badRequest(`${name} must be given once`)',
    replace: '',
    tests: rest,
  },
  {
    control: 'a number has no more decimal places than its field',
    file: 'src/operations/input.ts',
    find: 'decimals !== undefined && toScaled(value, decimals) === undefined) {',
    replace: 'decimals !== undefined && toScaled(value, decimals) === null) {',
    tests: ['src/resources/tax-rates.test.ts'],
  },
  {
    control: 'an id in a path has the form of one',
    file: 'src/operations/execute.ts',
    find: 'if (!idRegex.test(params[name]!)) throw',
    replace: 'if (false) throw',
    tests: rest,
  },
  {
    control: 'a page has at most 100 records',
    file: 'src/operations/table-lists.ts',
    find: 'const maxPerPage = 100\nconst fetchSizes = [11, 26, 51, 101]',
    replace: 'const maxPerPage = 1_000\nconst fetchSizes = [11, 26, 51, 101, 1_001]',
    tests: rest,
  },
  {
    control: 'a cursor that was never in the list is refused',
    file: 'src/operations/table-lists.ts',
    find: "if (!page!.cursor_exists) throw badRequest('startAfter is not a known cursor')",
    replace: '',
    tests: rest,
  },
  {
    control: 'a deleted record keeps its place for whoever pages on from it',
    file: 'migrations/0001-foundation.sql',
    find: "create trigger bury after delete on customers referencing old table as gone\n  for each statement execute function bury('sort_name');",
    replace: '',
    tests: ['src/resources/customers.test.ts'],
  },
  {
    control: 'the names of ignored fields are made safe for a header',
    file: 'src/rest/routes.ts',
    find: 'encodeURIComponent(name.toWellFormed()).slice(0, 60)',
    replace: 'name',
    tests: rest,
  },
  {
    control: 'answers are kept by nobody on the way',
    file: 'src/rest/routes.ts',
    find: "reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')",
    replace: "reply.setHeader('x-content-type-options', 'nosniff')",
    tests: rest,
  },
  {
    control: 'an error that nobody foresaw is told in constant words',
    file: 'src/http/envelope.ts',
    find: 'return statusCode < 500 ? new ApiError(statusCode, message) : errors.unexpected()',
    replace: 'return new ApiError(statusCode, message)',
    tests: rest,
  },
  {
    control: 'HTTP/1.1 has a Host',
    file: 'src/http/server.ts',
    find: "done(isHostless ? badRequest('The Host header is missing') : undefined)",
    replace: 'done(isHostless ? undefined : undefined)',
    tests: server,
  },
  {
    control: 'headers end at 32 KB',
    file: 'src/http/server.ts',
    find: 'const maxHeaderBytes = 32_768',
    replace: 'const maxHeaderBytes = 131_072',
    tests: server,
  },
  {
    control: 'what is not HTTP is answered in the envelope',
    file: 'src/http/server.ts',
    find: 'clientErrorHandler: (error, socket) => answerMalformedRequest(error, socket, exchanges.get(socket), config),',
    replace: '',
    tests: server,
  },
  {
    control: 'of requests with one Idempotency-Key at once one is carried out',
    file: 'src/operations/idempotency.ts',
    find: 'if (!claim!.claimed) throw idempotencyInProgress()',
    replace: '',
    tests: execute,
  },
  {
    control: 'an Idempotency-Key means one body',
    file: 'src/operations/idempotency.ts',
    find: "if (!earlier.request_hash.equals(hash)) throw badRequest('Idempotency-Key was used with a different body')",
    replace: '',
    tests: execute,
  },
  {
    control: 'an Idempotency-Key is one credential’s',
    file: 'src/operations/idempotency.ts',
    find: 'org_id = ${caller.orgId} and credential_id = ${caller.credentialId} and path',
    replace: 'org_id = ${caller.orgId} and path',
    tests: execute,
  },
  {
    control: 'what a refused request had begun is undone before its answer is kept',
    file: 'src/operations/idempotency.ts',
    find: 'await transaction.query(sql`rollback to savepoint work`)',
    replace: '',
    tests: execute,
  },
]
