// What the file of a printed document is called.
import type { Sheet } from './sheet.ts'

/** For attachments and downloads: letters that every file system takes. */
export function pdfName({ number, kind }: Pick<Sheet, 'number' | 'kind'>): string {
  return `${number.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60) || kind}.pdf`
}
