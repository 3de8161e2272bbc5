// Browsers told apart by the lines that they say of themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeUserAgent } from './user-agents.ts'

const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0'

test('names the browser and the device', () => {
  for (const [line, words] of [
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36 Edg/149.0.0.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chrome} Safari/537.36`, 'Chrome on a Chromebook'],
    [`Mozilla/5.0 (Linux; Android 10; K) ${chrome} Mobile Safari/537.36`, 'Chrome on Android'],
    [
      `Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
      'Samsung Internet on Android',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
      'Safari on an iPhone',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
      'Safari on a Mac',
    ],
    ['curl/8.5.0', 'A browser'],
    ['<script>alert(1)</script>', 'A browser'],
    [null, 'A browser'],
  ] as const)
    assert.equal(describeUserAgent(line), words)
})
