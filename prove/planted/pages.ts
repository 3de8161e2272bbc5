// Faults in what strangers open: text on pages, shared documents, calendars.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Plant } from './plant.ts'

const share = ['src/portal/share.test.ts']
const page = ['src/documents/page.test.ts']
const html = ['src/pages/html.test.ts']
const feed = ['src/portal/calendar-feed.test.ts']

export const pages: readonly Plant[] = [
  {
    control: 'what people typed is text on a page',
    file: 'src/pages/html.ts',
    find: "if (typeof part === 'string') return escaped(part)",
    replace: "if (typeof part === 'string') return part",
    tests: html,
  },
  {
    control: 'what people typed does not end an attribute',
    file: 'src/pages/html.ts',
    find: '/[&<>"\']/g',
    replace: '/[&<>]/g',
    tests: html,
  },
  {
    control: 'a shared page loads and runs nothing from elsewhere',
    file: 'src/documents/page.ts',
    find: '"default-src \'none\'",',
    replace: '',
    tests: share,
  },
  {
    control: 'a shared page is found by nobody',
    file: 'src/documents/page.ts',
    find: "'x-robots-tag': 'noindex, nofollow',",
    replace: '',
    tests: page,
  },
  {
    control: 'a shared page is kept by nobody',
    file: 'src/documents/page.ts',
    find: "'cache-control': 'no-store',",
    replace: '',
    tests: page,
  },
  {
    control: 'a shared page tells nobody where it was',
    file: 'src/documents/page.ts',
    find: "'referrer-policy': 'no-referrer',",
    replace: '',
    tests: page,
  },
  {
    control: 'looking at a quote does not accept it',
    file: 'src/portal/share.ts',
    find: 'await database.transaction((opened) => viewed(acting(opened, shared), shared))',
    replace:
      "await database.transaction((opened) => answerQuote(acting(opened, shared), shared.documentId, request.params.token, { isAccepted: true, name: 'Anybody', reason: null, signature: null, address: '' }).then(() => viewed(acting(opened, shared), shared)))",
    tests: share,
  },
  {
    control: 'an answer comes from the form of its page',
    file: 'src/portal/share.ts',
    find: "if (!isSame(form.csrf ?? '', csrfOf(request.params.token))) return",
    replace: 'if (false) return',
    tests: share,
  },
  {
    control: 'a link that has expired opens nothing',
    file: 'src/resources/documents/opened-link.ts',
    find: 'where token_hash = ${tokenHash(token)} and (expires_at is null or expires_at > now())`',
    replace: 'where token_hash = ${tokenHash(token)}`',
    tests: share,
  },
  {
    control: 'a link that is removed while an answer is on its way takes none',
    file: 'src/resources/quotes/answer.ts',
    find: "if (!(await ctx.ask(sharedBy(token)))) throw notFound('quote')",
    replace: '',
    tests: share,
  },
  {
    control: 'an answer to a quote that has expired comes too late',
    file: 'src/resources/quotes/answer.ts',
    find: 'if (!isOpenToAnswer(quote.status) || quote.isExpired) return false',
    replace: 'if (!isOpenToAnswer(quote.status)) return false',
    tests: share,
  },
  {
    control: 'the address of a quote is told to those who may change it',
    file: 'src/resources/documents/share-link.ts',
    find: 'ctx.caller.scopes.has(needed) ? opened(ctx, link.url) : undefined',
    replace: 'opened(ctx, link.url)',
    tests: share,
  },
  {
    control: 'shared pages are not tried out at speed',
    file: 'src/portal/share.ts',
    find: 'if (await isRefused(reply, limits.page(addressOf(request)))) return reply',
    replace: '',
    tests: share,
  },
  {
    control: 'the calendar of a member who left is not found',
    file: 'src/identity/calendar-feeds.ts',
    find: '(feed.member_id is null or member.is_active)',
    replace: 'true',
    tests: feed,
  },
  {
    control: 'addresses of calendars are not tried out at speed',
    file: 'src/portal/calendar-feed.ts',
    find: 'if (isOver) throw tooManyRequests(',
    replace: 'if (false) throw tooManyRequests(',
    tests: feed,
  },
]
