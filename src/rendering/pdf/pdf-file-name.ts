// What the file of a printed document is called.
import type { PrintDocument } from '../print-document.ts'

/** For attachments and downloads: letters that every file system takes. */
export function pdfFileName({ number, kind }: Pick<PrintDocument, 'number' | 'kind'>): string {
  return `${number.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60) || kind}.pdf`
}
