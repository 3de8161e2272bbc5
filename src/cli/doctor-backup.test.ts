// What the doctor says of backups, and which settings of them are refused.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { readConfig } from '../config/config.ts'
import { backupName } from '../domain/backups.ts'
import { backupFinding } from './doctor-backup.ts'

const folder = await mkdtemp(join(tmpdir(), 'jobwright-doctor-'))
after(() => rm(folder, { recursive: true, force: true }))
const own = { DATABASE_URL: 'postgres://127.0.0.1/own', SECRETS_KEY: Buffer.alloc(32).toString('base64') }

const find = (settings: Record<string, string>) => backupFinding(readConfig({ DATA_DIR: folder, ...settings }))

it('warns where no backups are made, and leaves those of one’s own PostgreSQL to its operator', async () => {
  const { status, advice } = await find({})
  assert.equal(status, 'warning')
  assert.match(advice!, /Set BACKUP_DIR/)
  assert.equal((await find(own)).status, 'ok')
})

it('finds backups that are missing or too old, and warns of those on the disk of the data', async () => {
  const hoursAgo = (hours: number) => writeFile(join(folder, backupName(new Date(Date.now() - hours * 3_600_000))), '')
  assert.match((await find({ BACKUP_DIR: folder })).detail, /is of never$/)
  await hoursAgo(40)
  assert.equal((await find({ BACKUP_DIR: folder })).status, 'wrong')
  await hoursAgo(20)
  const { status, detail } = await find({ BACKUP_DIR: folder })
  assert.deepEqual([status, /on the disk of the data itself/.test(detail)], ['warning', true])
  await assert.rejects(find({ BACKUP_DIR: join(folder, 'nowhere') }), /ENOENT/)
})

it('settings that promise what nobody does are refused', () => {
  assert.throws(() => readConfig({ ...own, BACKUP_DIR: folder }), /BACKUP_DIR is for the embedded PostgreSQL/)
  assert.throws(() => readConfig({ BACKUP_WAL: 'on' }), /BACKUP_DIR is required with BACKUP_WAL=on/)
  assert.throws(() => readConfig({ BACKUP_HOUR: '24' }), /BACKUP_HOUR must be a whole number from 0 to 23/)
})
