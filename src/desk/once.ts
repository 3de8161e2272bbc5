// Forms that make something carry a random value: the same page with the same words is done once, however often it is sent.
import { hash, randomBytes } from 'node:crypto'
import { type Html, html } from '../http/html.ts'

export const onceField = (): Html =>
  html`<input type="hidden" name="once" value="${randomBytes(16).toString('base64url')}">`

/** Other words are another form. `of` tells apart what one form does. */
export const formKey = (form: URLSearchParams, of?: object): string =>
  hash('sha256', JSON.stringify([[...form].filter(([name]) => name !== 'csrf'), of]), 'base64url')
