// A browser without a screen: cookies, redirects and forms over real HTTP, and an admin who can use it.
import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { sql } from '../src/db/database.ts'
import { addMember, type Role } from '../src/identity/members.ts'
import { findOrCreatePerson } from '../src/identity/people.ts'
import { createVault } from '../src/identity/secrets.ts'
import type { ServiceHandle } from './test-service.ts'

export interface Page {
  readonly status: number
  readonly url: string
  readonly headers: Headers
  readonly text: string
}

export type Fields = Readonly<Record<string, string | readonly string[]>>

/** Keeps cookies as a browser does; follows redirects within the origin and stops at the first that leaves it. */
export class Visitor {
  readonly origin: string
  readonly cookies = new Map<string, { value: string; path: string }>()
  constructor(origin: string) {
    this.origin = origin
  }

  async open(address: string, init: RequestInit = {}): Promise<Page> {
    let url = new URL(address, this.origin)
    let request = init
    for (let hops = 0; hops < 12; hops++) {
      const cookie = [...this.cookies]
        .filter(
          ([, { path }]) => url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
        )
        .map(([name, { value }]) => `${name}=${value}`)
        .join('; ')
      const response = await fetch(url, {
        ...request,
        redirect: 'manual',
        headers: { ...request.headers, ...(cookie && { cookie }) },
      })
      for (const line of response.headers.getSetCookie()) this.#storeCookie(line)
      const text = await response.text()
      const location = response.headers.get('location')
      if (!location || response.status < 300 || response.status > 399) {
        return { status: response.status, url: url.href, headers: response.headers, text }
      }
      const next = new URL(location, url)
      if (next.origin !== this.origin)
        return { status: response.status, url: next.href, headers: response.headers, text }
      url = next
      request = {}
    }
    throw new Error('too many redirects')
  }

  #storeCookie(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const at = pair.indexOf('=')
    const value = pair.slice(at + 1)
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/'
    const isGone =
      value === '' || attributes.some((attribute) => /^max-age=0$/i.test(attribute) || /1970/.test(attribute))
    if (isGone) this.cookies.delete(pair.slice(0, at))
    else this.cookies.set(pair.slice(0, at), { value, path })
  }

  /** Sends the form of a page whose action ends so, with its own fields and those given. */
  submit(page: Page, action: string, fields: Fields = {}): Promise<Page> {
    const form = formsIn(page).find((one) => one.action.startsWith(action))
    assert.ok(form, `a form to ${action} on ${page.url}: ${page.text.slice(0, 2_000)}`)
    const body = new URLSearchParams(form.fields)
    for (const [name, value] of Object.entries(fields)) {
      body.delete(name)
      for (const one of [value].flat()) body.append(name, one as string)
    }
    return this.open(form.action, {
      method: 'POST',
      body: body.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  }
}

interface Form {
  readonly action: string
  readonly fields: [string, string][]
}

/** The forms of a page with what they would send untouched; buttons send nothing until they are pressed. */
export function formsIn({ text }: Page): Form[] {
  return [...text.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(([, action, inner]) => {
    const fields: [string, string][] = []
    for (const [tag] of inner!.matchAll(/<input[^>]*>/gs)) {
      const name = attribute(tag, 'name')
      const isOff = attribute(tag, 'type') === 'checkbox' && !/\schecked/.test(tag)
      if (name && !isOff) fields.push([name, attribute(tag, 'value') ?? ''])
    }
    for (const [, name, options] of inner!.matchAll(/<select[^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs)) {
      fields.push([name!, unescapeHtml(/value="([^"]*)"/.exec(options!)![1]!)])
    }
    return { action: unescapeHtml(action!), fields }
  })
}

const attribute = (tag: string, name: string) => {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? []
  return value === undefined ? undefined : unescapeHtml(value)
}
const htmlEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const unescapeHtml = (text: string) => text.replace(/&([#\w]+);/g, (_, name: string) => htmlEntities[name] ?? _)

export interface Person {
  readonly orgId: string
  readonly memberId: string
  readonly email: string
  readonly password: string
  readonly totpSecret: string
}

const password = 'correct horse battery'
/** With the least work that Argon2 allows: a hash names its own cost, and there are thousands of sign-ins in the tests. */
const passwordHash = 'argon2id$8$1$BwcHBwcHBwcHBwcHBwcHBw==$Ifvh/2yXZNM2YXLKEULqjsGR8AQJ/t7RaWEEn8uEiG4='

let personCount = 0
/** Somebody of an organisation, with both factors. */
export async function person(service: ServiceHandle, orgId: string, role: Role = 'admin'): Promise<Person> {
  const email = `person${process.pid}.${Date.now()}.${personCount++}@mail.example`
  const vault = await createVault(service.config)
  const member = await service.database.transaction('test', async (transaction) => {
    const { id } = await findOrCreatePerson(transaction, email)
    await transaction.query(sql`update people set password_hash = ${passwordHash} where id = ${id}`)
    return addMember(transaction, vault, orgId, { email, firstName: 'Ann', role })
  })
  return { orgId, memberId: member.id, email, password, totpSecret: member.totpSecret ?? '' }
}

export const totpCode = ({ totpSecret }: Pick<Person, 'totpSecret'>, offsetSteps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate({ timestamp: Date.now() + offsetSteps * 30_000 })

/** A code works once; a test that signs in twice within half a minute needs the count set back. */
export const resetTotp = ({ database }: ServiceHandle, { email }: Person) =>
  database.query(sql`update people set totp_last_step = 0 where email = ${email}`)

/** Sets a second factor up on the page that asks for one. */
export async function setUpSecondFactor(
  visitor: Visitor,
  page: Page,
  fields: Fields = {},
): Promise<{ totpSecret: string; done: Page }> {
  const [, spaced = ''] = /secret into the app: <code>([A-Z2-7 ]+)<\/code>/.exec(page.text) ?? []
  const totpSecret = spaced.replaceAll(' ', '')
  const done = await visitor.submit(page, '/sign-in/second-factor', { totp: totpCode({ totpSecret }), ...fields })
  return { totpSecret, done }
}

/** The link of an invitation, as a page or a mail has it. */
export const invitationLink = (text: string): string => /\/invitation\/[\w-]{43}/.exec(text)?.[0] ?? 'no link'

/** Fills in the sign-in page. */
export async function signInOn(visitor: Visitor, service: ServiceHandle, page: Page, who: Person): Promise<Page> {
  await resetTotp(service, who)
  return visitor.submit(page, '/sign-in', { email: who.email, password: who.password, totp: totpCode(who) })
}
