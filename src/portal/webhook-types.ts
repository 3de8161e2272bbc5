// Types of events in words, for people who choose what a webhook is told of, and for those who read its log.
import { capitalise } from '../operations/string-case.ts'
import { eventCatalogue } from '../resources/index.ts'

/** Where the trade's word is another. */
const nouns: Readonly<Record<string, string>> = {
  ticket: 'job',
  ticket_service: 'service line of a job',
  ticket_inventory: 'part line of a job',
  ticket_status: 'job status',
  occurrence: 'visit',
  webhook: 'webhook',
}
const happenings: Readonly<Record<string, string>> = {
  updated: 'is changed',
  status_changed: 'gets another status',
  low: 'runs low',
  ended: 'ends',
  failed: 'fails',
  finished: 'is finished',
  test: 'is tested',
}

const nounWords = (noun: string) => nouns[noun] ?? noun.replaceAll('_', ' ')
const withArticle = (words: string) => `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`

/** Such as "A job gets another status". */
export function typeSentence(type: string): string {
  const [noun = '', happening = ''] = type.split('.')
  return capitalise(
    `${withArticle(nounWords(noun))} ${happenings[happening] ?? `is ${happening.replaceAll('_', ' ')}`}`,
  )
}

/** Such as "A job gets another status", or "Anything about a job"; `*` is everything. */
export function patternSentence(pattern: string): string {
  if (pattern === '*') return 'Everything'
  const [noun = '', happening] = pattern.split('.')
  return happening === '*' ? `Anything about ${withArticle(nounWords(noun))}` : typeSentence(pattern)
}

/** Every type, by the noun it begins with. */
export const typeGroups: readonly { readonly title: string; readonly types: readonly string[] }[] = [
  ...Map.groupBy(
    eventCatalogue.types.map(({ type }) => type),
    (type) => type.split('.')[0]!,
  ),
].map(([noun, types]) => ({ title: capitalise(nounWords(noun)), types: [`${noun}.*`, ...types] }))
