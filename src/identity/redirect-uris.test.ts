// Which addresses an app may lead people back to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRegisteredRedirect, redirectUrisProblem } from './redirect-uris.ts'

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

test('an app on a device is led back to whatever port it asks for, and nothing but the port may differ', () => {
  for (const host of ['127.0.0.1', '[::1]', 'localhost'])
    for (const registered of [`http://${host}/cb`, `http://${host}:8080/cb`])
      for (const asked of [`http://${host}/cb`, `http://${host}:8080/cb`, `http://${host}:51004/cb`])
        assert.ok(isRegisteredRedirect([registered], asked), `${registered} ${asked}`)
  assert.ok(isRegisteredRedirect(['https://app.example/cb', 'http://127.0.0.1?a=1'], 'http://127.0.0.1:9?a=1'))

  for (const asked of [
    'http://127.0.0.1:51004/other',
    'http://127.0.0.1:51004/cb/',
    'http://127.0.0.1:51004/cb?x=1',
    'http://127.0.0.1:51004/CB',
    'http://127.0.0.1:51004',
    'http://127.0.0.1:51004/cb#x',
    'http://127.0.0.1:/cb',
    'http://127.0.0.1:99999/cb',
    'http://127.0.0.1:51004@evil.example/cb',
    'http://127.0.0.1:51004.evil.example/cb',
    'http://127.0.0.1:51004\\@evil.example/cb',
    'http://user@127.0.0.1:51004/cb',
    'http://localhost:51004/cb',
    'http://[::1]:51004/cb',
    'http://127.0.0.2:51004/cb',
    'http://127.1:51004/cb',
    'https://127.0.0.1:51004/cb',
  ])
    assert.ok(!isRegisteredRedirect(['http://127.0.0.1/cb'], asked), asked)
  for (const [registered, asked] of [
    ['https://app.example/cb', 'https://app.example:8443/cb'],
    ['https://localhost/cb', 'https://localhost:8443/cb'],
    ['com.example.app:/cb', 'com.example.app:1/cb'],
  ] as const)
    assert.ok(!isRegisteredRedirect([registered], asked), asked)
})
