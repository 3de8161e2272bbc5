// The SSRF-safe fetch: it reaches nothing but the public internet, and not for long.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { createDestinations, createSafeFetch, isPublicAddress, type Network, type SafeRequest } from './safe-fetch.ts'

test('connects to public addresses only, by number or by name, and only to the ones it judged', async () => {
  let reached = 0
  const inside = createServer((_request, response) => {
    reached++
    response.end('{}')
  })
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
  after(() => void inside.close())
  const { port } = inside.address() as { port: number }

  const safeFetch = createSafeFetch() // the real one
  for (const literal of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd12::1]',
    '[ff02::1]',
    '[2001:db8::1]',
    'localhost',
  ])
    await assert.rejects(safeFetch(`https://${literal}:${port}/`), /not public/, literal)
  await assert.rejects(safeFetch(`http://127.0.0.1:${port}/`), /must be https/)

  // DNS rebinding: a name that is public at the first lookup, and internal at the second.
  const asked: string[] = []
  const rebinding: Network = {
    isPublic: (address) => address === '127.0.0.2', // where nobody listens
    async resolve(name) {
      asked.push(name)
      return [{ address: asked.length === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }]
    },
  }
  await assert.rejects(createSafeFetch(rebinding)(`https://rebind.example:${port}/`), { code: 'ECONNREFUSED' })
  assert.deepEqual(asked, ['rebind.example'], 'the name is looked up once')
  await assert.rejects(createSafeFetch(rebinding)(`https://rebind.example:${port}/`), /not public/)
  const mixed: Network = {
    isPublic: isPublicAddress,
    resolve: async () => [
      { address: '198.41.0.4', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ],
  }
  await assert.rejects(createSafeFetch(mixed)('https://mixed.example/'), /not public/, 'one bad address spoils all')
  await assert.rejects(
    createSafeFetch({ ...mixed, resolve: async () => [] })('https://none.example/'),
    /does not resolve/,
  )
  assert.equal(reached, 0)
})

test('gives up on a name that nobody resolves when its time, or the caller’s, is over', async () => {
  const silent: Network = { isPublic: () => true, resolve: () => new Promise(() => {}) }
  const caller = new AbortController()
  const fetching = createSafeFetch(silent)('https://silent.example/', { signal: caller.signal })
  caller.abort(new Error('enough'))
  await assert.rejects(fetching, /enough/)
  const waiting = setTimeout(() => {}, 10_000) // the deadline alone does not keep a process alive
  await assert.rejects(createSafeFetch(silent)('https://silent.example/'), { name: 'TimeoutError' })
  clearTimeout(waiting)
})

test('knows public addresses from others', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '198.41.0.4', '2606:4700::1111', '2a00:1450:4001::200e'])
    assert.ok(isPublicAddress(address), address)
  for (const address of [
    '',
    'localhost',
    '1.2.3',
    'fe80::1%eth0',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
  ])
    assert.ok(!isPublicAddress(address), address)
})

const post: SafeRequest = {
  method: 'POST',
  headers: { 'content-type': 'text/plain' },
  body: 'Grüße',
  timeoutMs: 5_000,
  maxBytes: 10,
  longAnswer: 'cut',
}

test('reaches named networks with and without TLS, at any port, and by a name that leads there', async () => {
  const heard: string[] = []
  const inside = createServer(async (request, response) => {
    heard.push(`${request.method} ${request.headers.host} ${Buffer.concat(await request.toArray())}`)
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end('twelve bytes')
  })
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
  after(() => void inside.close())
  const { port } = inside.address() as { port: number }
  const named: Network = { isPublic: isPublicAddress, resolve: async () => [{ address: '127.0.0.1', family: 4 }] }
  const destinations = createDestinations(['127.0.0.0/8'], named)
  for (const host of ['127.0.0.1', 'localhost', 'inside.example', '2130706433']) {
    const { status, body } = await destinations.request(`http://${host}:${port}/`, post)
    assert.deepEqual(
      [status, body.toString()],
      [302, 'twelve byt'],
      'a redirect is an answer, and a long answer is cut',
    )
  }
  assert.deepEqual(heard.slice(1), [
    `POST localhost:${port} Grüße`,
    `POST inside.example:${port} Grüße`,
    `POST 127.0.0.1:${port} Grüße`,
  ])
  await assert.rejects(destinations.request(`http://10.0.0.1:${port}/`, post), /must be https/)
  await assert.rejects(destinations.request(`https://10.0.0.1:${port}/`, post), /not public/)
  const partly: Network = {
    ...named,
    resolve: async () => [
      { address: '127.0.0.1', family: 4 },
      { address: '198.41.0.4', family: 4 },
    ],
  }
  await assert.rejects(
    createDestinations(['127.0.0.0/8'], partly).request(`http://both.example:${port}/`, post),
    /must be https/,
  )
  assert.equal(heard.length, 4)
})

test('takes the status of an answer whose body does not end, and not that of one that is refused for its length', async () => {
  const endless = createServer((_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('more'), 5)
    response.on('close', () => clearInterval(timer))
  })
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
  after(() => {
    endless.closeAllConnections()
    endless.close()
  })
  const url = `http://127.0.0.1:${(endless.address() as { port: number }).port}/`
  const destinations = createDestinations(['127.0.0.0/8'])
  assert.equal((await destinations.request(url, post)).status, 200)
  assert.equal((await destinations.request(url, { ...post, maxBytes: 1_000_000, timeoutMs: 300 })).status, 200)
  await assert.rejects(destinations.request(url, { ...post, longAnswer: 'refuse' }), /too large/)
})

test('judges the form of an address before anything else', async () => {
  const { problem, request } = createDestinations(['127.0.0.0/8'])
  for (const address of ['https://user:secret@127.0.0.1/', 'https://user@127.0.0.1/'])
    for (const wrong of [problem(address), await request(address, post).catch(({ message }) => message)])
      assert.match(wrong, /user name/, address)
  for (const address of ['ftp://127.0.0.1/', 'data:text/plain,x', 'file:///etc/passwd'])
    assert.equal(problem(address), 'must be https', address)
  assert.equal(problem('not an address'), 'must be an address such as https://example.com/hooks')
  assert.equal(problem('https://198.41.0.4:25/'), 'must have port 443 or one from 1024 on')
  assert.equal(problem('http://127.0.0.1:25/'), undefined)
  assert.equal(createDestinations().problem('https://example.com:22/'), 'must have port 443 or one from 1024 on')
})
