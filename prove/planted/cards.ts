// Faults in the cards of agents: who is told of them, and what they may do.
import type { Mutant } from './mutant.ts'

const told = ['src/cards/cards.test.ts']

export const cardFaults: readonly Mutant[] = [
  {
    control: 'a host that shows no cards sees nothing of them beside tools',
    file: 'src/mcp/server.ts',
    find: 'hasCards ? { ...listing,',
    replace: 'true ? { ...listing,',
    tests: told,
    expectedFailure: 'sees nothing of them',
  },
  {
    control: 'a host that shows no cards sees nothing of them among resources',
    file: 'src/mcp/server.ts',
    find: 'call.hasCards ? [...resources, ...cards.list] : resources',
    replace: '[...resources, ...cards.list]',
    tests: told,
    expectedFailure: 'sees nothing of them',
  },
  {
    control: 'a host that shows something else is told of no cards',
    file: 'src/mcp/cards.ts',
    find: 'types.includes(cardType)',
    replace: 'types.length > 0',
    tests: told,
    expectedFailure: 'says it once',
  },
  {
    control: 'what a host of an earlier revision said when it began is known later',
    file: 'src/mcp/server.ts',
    find: "if (session !== undefined) response.headers.set('mcp-session-id', session)",
    replace: '',
    tests: told,
    expectedFailure: 'says it once',
  },
  {
    control: 'a card asks its host for no address outside',
    file: 'src/mcp/cards.ts',
    find: 'connectDomains: []',
    replace: "connectDomains: ['https://cards.example']",
    tests: told,
  },
  {
    control: 'the lines of a quote can be read on a narrow card',
    file: 'src/cards/made/quote.html',
    find: '(max-width: 420px)',
    replace: '(max-width: 42px)',
    tests: ['src/cards/cards.browser.test.ts'],
    expectedFailure: 'a quote is shown',
  },
]
