// What makes a request odd: ids, addresses, headers and methods that few programs send.
import fc from 'fast-check'

export const oddIds = [
  ...[
    'x',
    '0',
    '-1',
    '_',
    'A'.repeat(128),
    'A'.repeat(129),
    'A'.repeat(5_000),
    '%00',
    '%2F',
    'a%2Fb',
    '..%2F..',
    '%2e%2e',
    '%20',
  ],
  ...[
    '%F0%9F%94%A7',
    '%D7%A9',
    'a.b',
    'a;b',
    "a'b",
    'a"b',
    '*',
    ':id',
    '{id}',
    '%',
    '%zz',
    '%C3',
    '%u0041',
    'null',
    'undefined',
    '__proto__',
  ],
  ...[
    '999999999999999999999',
    '1e3',
    '2147483648',
    '-0',
    '0x10',
    '007',
    '',
    '.',
    '..',
    'a/b',
    'a?b',
    'a%23b',
    '\u00e9',
  ],
]
/** They may lead to another route, or none. */
export const reroutingId = /^$|^\.\.?$|^(%2e)+$|[/?%]|[^\x21-\x7e]/i

export const pathVariants = {
  'a slash at the end': (path: string) => `${path}/`,
  'two slashes': (path: string) => path.replace(/\/([^/]*)$/, '//$1'),
  'two slashes first': (path: string) => `/${path}`,
  capitals: (path: string) => path.toUpperCase(),
  'an encoded slash': (path: string) => path.replace(/\/([^/]*)$/, '%2F$1'),
  'an encoded letter': (path: string) => path.replace('organisations', 'org%61nisations'),
  'a dot': (path: string) => path.replace(/\/([^/]*)$/, '/./$1'),
  'two dots': (path: string) => `${path}/../x`,
  'a word more': (path: string) => `${path}/more`,
  'a word less': (path: string) => path.replace(/\/[^/]*$/, ''),
  'a broken escape': (path: string) => `${path}%`,
  'a NUL': (path: string) => `${path}%00`,
  'a semicolon': (path: string) => `${path};v=1`,
  'no version': (path: string) => path.replace('/api/v1', '/api'),
  'another organisation': (path: string) => path.replace(/org_\w+/, 'org_x'),
} satisfies Record<string, (path: string) => string>

const contentTypes = [
  ...[
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=utf-16',
    'APPLICATION/JSON',
    'application/merge-patch+json',
  ],
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    '',
    'json',
    '*/*',
    'application/jsonx',
    'a/b/c',
  ],
]
const keys = ['again-1', 'again-2', 'again-3', '', ' ', 'x'.repeat(128), 'x'.repeat(129), 'a b', 'é', 'a,b', '../x']
export const methods = [
  'HEAD',
  'OPTIONS',
  'PATCH',
  'PUT',
  'POST',
  'DELETE',
  'GET',
  'TRACE',
  'PROPFIND',
  'LOCK',
  'QUERY',
]
const accepts = ['application/json', 'text/html', 'application/pdf', '*/*;q=0', '', 'x']

/** Mostly absent, so that a request is odd in one way at a time. */
export const seldom = <T>(values: fc.Arbitrary<T>, once: number) =>
  fc.oneof({ weight: once - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values })

export const headers = fc
  .record({
    'content-type': seldom(fc.constantFrom(...contentTypes), 15),
    'idempotency-key': seldom(fc.oneof(fc.constantFrom(...keys), fc.stringMatching(/^[A-Za-z0-9_-]{8}$/)), 5),
    accept: seldom(fc.constantFrom(...accepts), 20),
    'content-encoding': seldom(fc.constantFrom('gzip', 'identity', 'br', ''), 60),
    'accept-encoding': seldom(fc.constantFrom('gzip', '*', 'identity;q=0'), 60),
    'x-forwarded-for': seldom(fc.constantFrom('1.2.3.4', '::1', 'unknown', 'x'.repeat(1_000)), 60),
    'if-match': seldom(fc.constantFrom('*', '"x"'), 60),
    range: seldom(fc.constantFrom('bytes=0-10', 'bytes=x'), 60),
    origin: seldom(fc.constantFrom('null', 'https://evil.example'), 60),
  })
  .map(
    (all) =>
      Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<string, string>,
  )
