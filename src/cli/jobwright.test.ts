// The command line as a process of its own: what it leaves on stdout and stderr, how it ends, and which database it finds.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { assertEventually, settingsFor, spawnedCommandLine } from '../../test/command-line.ts'
import { startTestService } from '../../test/test-service.ts'
import { startEmbeddedPostgres } from '../db/embedded/launcher.ts'

const here = await startTestService()
const jobwright = spawnedCommandLine(settingsFor(here))

describe('jobwright', () => {
  it('prints one JSON object on stdout, nothing on stderr, and ends with 0', async () => {
    const { code, json, stderr } = await jobwright('org', 'create', '--name', 'Café “Ørsted”', '--json')
    assert.deepEqual([code, json.name, stderr], [0, 'Café “Ørsted”', ''])
  })

  it('prints one sentence on stderr, nothing on stdout, and ends with 1', async () => {
    const { code, stdout, stderr } = await jobwright('key', 'list', '--org', 'org_none', '--json')
    assert.deepEqual([code, stdout, stderr], [1, '', 'There is no organisation org_none\n'])
  })

  it('gives help without settings and without a database', async () => {
    const { code, stdout, stderr } = await spawnedCommandLine({ PORT: 'nonsense' })('key', 'create', '--help')
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^Make an API key/)
  })

  it('makes keys that a running service accepts, and pauses them there within a second', async () => {
    const { orgId } = await here.organisation()
    const { id, key } = (await jobwright('key', 'create', '--org', orgId, '--json')).json
    const status = async () => {
      const call = { headers: { 'x-api-key': key } }
      return (await here.request('GET', `/api/v1/organisations/${orgId}/customers`, call)).status
    }
    assert.equal(await status(), 200)
    await jobwright('key', 'pause', orgId, id)
    await assertEventually(401, status)
  })

  it('leaves quietly when nobody reads on', () => {
    const program = fileURLToPath(new URL('jobwright.ts', import.meta.url))
    const line = `"${process.execPath}" "${program}" --help | true`
    execFileSync('bash', ['-o', 'pipefail', '-c', line], { stdio: ['ignore', 'ignore', 'pipe'] })
  })
})

describe('without DATABASE_URL', () => {
  it('works on a fresh data folder, and on one that a server is using', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-embedded-'))
    const embedded = spawnedCommandLine({ DATA_DIR: dataDir })
    const { id } = (await embedded('org', 'create', '--name', 'Alone', '--json')).json

    const { stop } = await startEmbeddedPostgres({ dataDir, mode: 'serve' })
    after(async () => {
      await stop()
      await rm(dataDir, { recursive: true, force: true })
    })
    const { organisations } = (await embedded('org', 'list', '--json')).json
    assert.deepEqual(
      organisations.map((organisation: { id: string }) => organisation.id),
      [id],
    )
  })
})
