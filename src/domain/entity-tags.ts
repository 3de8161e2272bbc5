// Entity tags (RFC 9110): what the version of a record is called, and whether a condition on it holds.
import { hash } from 'node:crypto'

/** 132 bits: nobody will see two texts of one record with the same tag. */
const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)

/** Of exactly this text. */
export const entityTag = (text: string): string => `"${digest(text)}"`

/**
 * Of a record with others sent along: what changes in those changes the answer, but not the version of the record, which
 * stands before the dot.
 */
export const entityTagWith = (record: string, whole: string): string => `"${digest(record)}.${digest(whole)}"`

/** The tag of the record alone. */
const versionOf = (tag: string): string => tag.replace(/\.[^."]*"$/, '"')

/** The tags of a condition, as they were written; `*` is any version there is. */
export type EntityTags = '*' | readonly string[]

const listElement = /[ \t]*((?:W\/)?"[!\x23-\x7e\x80-\xff]*")?[ \t]*(,|$)/y

/** The value of If-Match or If-None-Match; undefined if it is none. */
export function parseEntityTags(value: string): EntityTags | undefined {
  if (value.trim() === '*') return '*'
  const tags: string[] = []
  listElement.lastIndex = 0
  for (;;) {
    const element = listElement.exec(value)
    if (!element) return undefined
    if (element[1] !== undefined) tags.push(element[1])
    if (element[2] === '') return tags.length > 0 ? tags : undefined
  }
}

/** For If-Match: a weak tag names no version for certain, and so never the current one. */
export const isSameVersion = (tags: EntityTags, current: string): boolean =>
  tags === '*' || tags.some((tag) => versionOf(tag) === versionOf(current))

/** For If-None-Match: a tag that a proxy made weak still names what was read. */
export const isSameAnswer = (tags: EntityTags, current: string): boolean =>
  tags === '*' || tags.some((tag) => tag.replace(/^W\//, '') === current)
