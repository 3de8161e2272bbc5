// Parts of a workbook, tag by tag, as they are unpacked. A tag or a text without end is refused before it fills the memory.
import { Parser } from 'saxen'
import { FileRefused } from '../domain/moving-in/recognise.ts'
import type { FileLimits } from './limits.ts'

interface XmlHandlers {
  /** Names come without the prefix that some programs put before them. */
  onOpen?(name: string, attributes: () => Record<string, string>): void
  onText?(text: string): void
  onClose?(name: string): void
}

export interface XmlReader {
  write(text: string): void
  end(): void
}

/** The parser begins again with what it could not finish, so it is given little at a time. */
const pieceCharacters = 65_536

export function createXmlReader(
  { onOpen = () => {}, onText, onClose = () => {} }: XmlHandlers,
  { maxRunCharacters }: FileLimits,
): XmlReader {
  /** Since the last tag. */
  let run = 0
  const parser = new Parser()
    .on('openTag', (name, attributes) => {
      run = 0
      onOpen(localName(name), attributes)
    })
    .on('closeTag', (name) => {
      run = 0
      onClose(localName(name))
    })
    .on('error', (error) => {
      throw error
    })
  if (onText) parser.on('text', (text, decode) => onText(decode(text)))
  return {
    write(text) {
      for (let at = 0; at < text.length; at += pieceCharacters) {
        const piece = text.slice(at, at + pieceCharacters)
        run += piece.length
        parser.write(piece)
        if (run > maxRunCharacters + pieceCharacters)
          throw new FileRefused(
            `A cell or a tag of the workbook is longer than ${maxRunCharacters} characters; save it as CSV`,
          )
      }
    },
    end: () => void parser.end(),
  }
}

const localName = (name: string): string => name.slice(name.lastIndexOf(':') + 1)
