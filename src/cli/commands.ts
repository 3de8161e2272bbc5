// Where the commands are, in the order help lists them. A file is loaded when one of its commands is typed: behind some of them is the
// whole service, and a command should begin at once.
import type { Command } from './command.ts'

interface CommandFile {
  /** The words that its commands begin with. */
  readonly groups: readonly string[]
  load(): Promise<{ readonly default: readonly Command[] }>
}

export const commandFiles: readonly CommandFile[] = [
  { groups: ['start'], load: () => import('./start.ts') },
  { groups: ['org'], load: () => import('./organisations.ts') },
  { groups: ['member'], load: () => import('./members.ts') },
  { groups: ['key'], load: () => import('./keys.ts') },
  { groups: ['client', 'grant', 'token'], load: () => import('./apps.ts') },
  { groups: ['mcp'], load: () => import('./mcp.ts') },
  { groups: ['payment'], load: () => import('./payments.ts') },
  { groups: ['money'], load: () => import('./money.ts') },
  { groups: ['mail', 'reminders'], load: () => import('./mail.ts') },
  { groups: ['forms'], load: () => import('./forms.ts') },
  { groups: ['recurring'], load: () => import('./recurring.ts') },
  { groups: ['calendar'], load: () => import('./calendar-feeds.ts') },
  { groups: ['events'], load: () => import('./events.ts') },
  { groups: ['webhook'], load: () => import('./webhooks.ts') },
  { groups: ['events'], load: () => import('./events-forward.ts') },
  { groups: ['bring'], load: () => import('./bring.ts') },
  { groups: ['export', 'import'], load: () => import('./transfer.ts') },
  { groups: ['backup', 'restore'], load: () => import('./backup.ts') },
  { groups: ['demo'], load: () => import('./demo.ts') },
  { groups: ['settings'], load: () => import('./settings.ts') },
  { groups: ['migrate'], load: () => import('./migrate.ts') },
  { groups: ['db'], load: () => import('./distribute.ts') },
  { groups: ['doctor'], load: () => import('./doctor.ts') },
]

/** The commands that begin with a word; all of them where there are none, for help. */
export async function loadCommands(word?: string): Promise<readonly Command[]> {
  const own = commandFiles.filter(({ groups }) => groups.includes(word ?? ''))
  const loaded = await Promise.all((own.length > 0 ? own : commandFiles).map(({ load }) => load()))
  return loaded.flatMap((file) => file.default)
}
