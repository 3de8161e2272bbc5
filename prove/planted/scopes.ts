// Faults in what a credential may do once it is let in.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const rest = ['src/rest/rest.test.ts']
const scopeLoop = ['test/scopes.test.ts']

export const scopes: readonly Mutant[] = [
  {
    control: 'an operation needs its scopes',
    file: 'src/operations/execute.ts',
    find: 'if (!needs.every((scope) => caller.scopes.has(scope))) throw insufficientScope(needs)',
    replace: '',
    tests: scopeLoop,
  },
  {
    control: 'REST asks for the scope before it reads anything',
    file: 'src/rest/routes.ts',
    find: '        refuseUnlessAllowed(operation, caller)\n',
    replace: '',
    tests: rest,
  },
  {
    control: 'a tool of an agent needs the scopes of its operation',
    file: 'src/operations/execute.ts',
    find: '      refuseUnlessAllowed(operation, caller)\n      refuseMalformedIds(params)\n      const parser',
    replace: '      refuseMalformedIds(params)\n      const parser',
    tests: ['src/mcp/endpoint.test.ts'],
  },
  {
    control: 'an operation that needs a scope nobody can be granted is refused at boot',
    file: 'src/operations/scope-catalogue.ts',
    find: 'if (unknown !== undefined) throw',
    replace: 'if (false) throw',
    tests: ['src/operations/strict-checks.test.ts'],
  },
  {
    control: 'write of version 1 lets delete',
    file: 'src/operations/scope-catalogue.ts',
    find: "if (action === 'write' && version === 1)",
    replace: 'if (false)',
    tests: ['src/rest/tokens.test.ts'],
  },
  {
    control: 'write of version 2 does not let delete',
    file: 'src/operations/scope-catalogue.ts',
    find: "if (action === 'write' && version === 1)",
    replace: "if (action === 'write')",
    tests: ['src/rest/tokens.test.ts'],
  },
  {
    control: 'a key without a version has the first one',
    file: 'migrations/0001-foundation.sql',
    find: 'scope_version smallint not null default 1',
    replace: 'scope_version smallint not null default 2',
    tests: ['src/rest/guard.test.ts'],
  },
  {
    control: 'HEAD needs what GET needs, also where there is no such address',
    file: 'src/operations/scopes.ts',
    find: "  HEAD: 'read',\n",
    replace: '',
    tests: rest,
  },
  {
    control: 'what is no resource is refused as such',
    file: 'src/rest/routes.ts',
    find: 'if (!entity) throw errors.unknownResource()',
    replace: 'if (!entity) throw errors.routeNotFound()',
    tests: rest,
  },
  {
    control: 'the scope is asked for before an address is said not to exist',
    file: 'src/rest/routes.ts',
    find: 'if (isHoldable(entity, needed) && !caller.scopes.has(needed)) throw errors.insufficientScope([needed])',
    replace: '',
    tests: rest,
  },
  {
    control: 'an address that does not exist asks for a credential, too',
    file: 'src/rest/routes.ts',
    find: 'if (request.is404) refuseUnknownRoute(request, reply).catch(done)\n    else done()',
    replace: 'done()',
    tests: ['src/rest/guard.test.ts'],
  },
  {
    control: 'deleting a customer with jobs needs the scope to delete jobs',
    file: 'src/resources/customers.ts',
    find: "if (tickets.length > 0) ctx.require('tickets:delete')",
    replace: '',
    tests: ['src/resources/tickets/tickets.test.ts'],
  },
  {
    control: 'an agent with a key is shown what the key may do',
    file: 'src/mcp/tools.ts',
    find: "kind === 'app' || needs.every((scope) => scopes.has(scope))",
    replace: 'kind !== undefined || needs.length + scopes.size > 0',
    tests: ['src/mcp/endpoint.test.ts'],
  },
  {
    control: 'a page of a foreign origin does not reach the tools of agents',
    file: 'src/mcp/endpoint.ts',
    find: 'if (origin !== undefined && !allowedOrigins.has(origin)) {',
    replace: 'if (false) {',
    tests: ['src/mcp/endpoint.test.ts'],
  },
  {
    control: 'a key that is not for agents is refused there',
    file: 'src/mcp/endpoint.ts',
    find: "use: 'mcp',",
    replace: "use: 'rest',",
    tests: ['src/mcp/endpoint.test.ts'],
  },
  {
    control: 'agents send one message at a time, so that each is counted',
    file: 'src/mcp/endpoint.ts',
    find: "if (Array.isArray(request.body)) throw badRequest('Send one message at a time, not a batch')",
    replace: '',
    tests: ['src/mcp/endpoint.test.ts'],
  },
  {
    control: 'the tool for reading carries out nothing that writes',
    file: 'src/mcp/search.ts',
    find: 'if (runner !== expectedRunner) throw badRequest(`${tool.name} is carried out with ${expectedRunner}`)',
    replace: '',
    tests: ['src/mcp/endpoint.test.ts'],
  },
  {
    control: 'an operation that needs a scope nobody declares does not start',
    file: 'src/operations/scope-catalogue.ts',
    find: 'if (unknown !== undefined) throw',
    replace: 'if (unknown === null) throw',
    tests: ['src/operations/strict-checks.test.ts'],
  },
  {
    control: 'an operation asks only for scopes that it declares',
    file: 'src/operations/strict-checks.ts',
    find: 'if (![...needs, ...mayNeed].includes(scope)) throw',
    replace: 'if (needs.length < 0) throw',
    tests: ['src/operations/strict-checks.test.ts'],
  },
]
