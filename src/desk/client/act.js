// Sends what somebody does to the address of a form, and returns what the service said about it.
import { noteOwn } from './live.js'

/** Of the shop that the page is about. */
export const deskPath = () => document.body.dataset.desk

/** { ok: true, … } or { ok: false, error, code, data }. Nothing is thrown. */
export async function send(path, fields) {
  const body = new URLSearchParams(fields instanceof FormData ? fields : Object.entries(fields))
  if (!body.has('csrf')) body.set('csrf', document.querySelector('#act [name=csrf]').value)
  let response
  try {
    response = await fetch(path, { method: 'POST', headers: { accept: 'application/json' }, body })
  } catch {
    return { ok: false, error: 'No connection. Nothing was changed.' }
  }
  if (response.redirected) {
    location.assign(response.url) // signed out meanwhile
    return { ok: false, error: 'You are signed out.' }
  }
  const said = await response.json().catch(() => ({ ok: false, error: `The service answered ${response.status}.` }))
  for (const id of said.ids ?? []) noteOwn(id)
  return said
}
