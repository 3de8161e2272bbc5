// The files of other systems whose columns are known. A profile is made only for headers that were seen in real files;
// everything else goes by the names in kinds.ts.
import { type Kind, kinds, type Source } from './kinds.ts'
import type { Profile } from './profile.ts'
import { bookProfiles } from './profiles-books.ts'
import { contactProfiles } from './profiles-contacts.ts'
import { fieldServiceProfiles } from './profiles-field-service.ts'

/** What refers to others comes first: an invoice has all columns of its customer, too. */
export const profiles: readonly Profile[] = [...fieldServiceProfiles, ...bookProfiles, ...contactProfiles].sort(
  (one, other) => kinds.indexOf(other.kind) - kinds.indexOf(one.kind),
)

export const profileOf = (source: Source, kind: Kind): Profile | undefined =>
  profiles.find((profile) => profile.source === source && profile.kind === kind)

/** Lines of a quote or an invoice have a row each, whoever wrote the file. */
export const groupingOf = (source: Source, kind: Kind): string | undefined =>
  profileOf(source, kind)?.groupBy ?? (kind === 'quotes' || kind === 'invoices' ? 'number' : undefined)
