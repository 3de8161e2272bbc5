// Rows of a file as the draft of a record, and which rows are about the same one.

import { readItem, readService } from './catalogue.ts'
import { expandExponent, tidyCell } from './cells.ts'
import { readCustomer } from './customers.ts'
import { readDocument } from './documents.ts'
import type { Draft } from './draft.ts'
import { readDevice, readJob } from './jobs.ts'
import type { Kind, Source } from './kinds.ts'
import { groupingOf, profileOf } from './profiles.ts'
import { createReader, type ReadingFile, type Row } from './reader.ts'

export function readDraft(source: Source, file: ReadingFile, rows: readonly Row[]): Draft {
  const reader = createReader(rows, file)
  const profile = profileOf(source, file.kind)
  switch (file.kind) {
    case 'customers':
      return readCustomer(reader, profile)
    case 'devices':
      return readDevice(reader, profile)
    case 'services':
      return readService(reader, profile)
    case 'inventory':
      return readItem(reader, profile)
    case 'jobs':
      return readJob(reader, profile)
    default:
      return readDocument(file.kind, reader, profile)
  }
}

interface GroupedFile {
  readonly source: Source
  readonly kind: Kind
  readonly targets: readonly (string | null)[]
}

/** What a line says only where a document begins. */
const beginnings = new Set([
  ...['customerExternalId', 'customerName', 'customerFirstName', 'customerLastName', 'customerEmail'],
  ...['issuedAt', 'createdAt', 'dueAt', 'due', 'validUntil', 'total', 'balance', 'status'],
])

/**
 * What rows of one record have in common; a row by itself has its number. A line without the number of its document
 * belongs to the one above it, as some programs write it, unless it is the beginning of another one.
 */
export function groupKey(file: GroupedFile, { row, cells }: Row, previousKey: string | undefined): string {
  const grouping = groupingOf(file.source, file.kind)
  const index = grouping === undefined ? -1 : file.targets.indexOf(grouping)
  if (index < 0) return `row ${row}`
  const value = expandExponent(tidyCell(cells[index] ?? '').value)
  if (!value) {
    const isBeginning = file.targets.some((target, place) => beginnings.has(target ?? '') && cells[place]?.trim())
    return (grouping === 'number' && !isBeginning && previousKey) || `row ${row}`
  }
  const ending = profileOf(file.source, file.kind)?.idEndsAt
  return `is ${ending === undefined ? value : value.split(ending)[0]}`.slice(0, 200)
}
