// Which addresses an app may lead people back to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redirectUrisProblem } from './redirect-uris.ts'

test('a scheme that a browser, a shell, a store or a telephone answers to is no app of its own', () => {
  const schemes = 'googlechrome shell search resource edge itms-apps itms-appss macappstore microsoft-edge onenote-cmd'
  for (const scheme of `${schemes} powershell tel smsto skype ms-settings x-man-page jnlp`.split(' '))
    assert.match(redirectUrisProblem([`${scheme}://callback`]) ?? '', /reserved scheme/, scheme)
})

test('an app keeps the scheme of its own, with a dot or without', () => {
  for (const scheme of [
    'cursor',
    'vscode',
    'vscode-insiders',
    'com.example.app',
    'claude',
    'windsurf',
    'zed',
    'raycast',
  ])
    assert.equal(redirectUrisProblem([`${scheme}://callback`]), undefined, scheme)
})
