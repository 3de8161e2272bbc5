// What an operator is told at a start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { startupWarnings } from './startup-warnings.ts'

const keys = { SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') }
const warned = (settings: Record<string, string>) => startupWarnings(readConfig({ ...keys, ...settings })).join('\n')

test('a start as it comes has nothing to warn of', () => {
  assert.equal(warned({}), '')
})

test('addresses that are not encrypted off this machine are warned of', () => {
  assert.match(warned({ REST_ORIGIN: 'http://jobs.example', AUTH_URL: 'http://jobs.example' }), /Use https/)
})

test('where Redis is to count and nobody says where it is, the reason for 503 is said', () => {
  const postgres = { DATABASE_URL: 'postgres://127.0.0.1/jobwright' }
  assert.match(warned(postgres), /REDIS_URL is not set/)
  assert.equal(warned({ ...postgres, REDIS_URL: 'redis://127.0.0.1' }), '')
  assert.equal(warned({ ...postgres, RATE_LIMIT_STORE: 'memory' }), '')
})
