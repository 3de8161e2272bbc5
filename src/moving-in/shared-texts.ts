// The texts that the cells of a workbook share, as bytes beside the heap: two million of them take little more memory than
// they have characters.
import { FileRefused } from '../domain/moving-in/recognise.ts'

export interface SharedTexts {
  readonly count: number
  add(text: string): void
  /** Empty where there is none. */
  at(index: number): string
}

/** Longer than a row may be. */
const blockBytes = 4_194_304

export function createSharedTexts(): SharedTexts {
  const blocks = [Buffer.allocUnsafeSlow(blockBytes)]
  let used = 0
  let count = 0
  // Counted through all blocks, each as long as the others.
  let starts = new Uint32Array(65_536)
  let lengths = new Uint32Array(65_536)
  return {
    get count() {
      return count
    },
    add(text) {
      const length = Buffer.byteLength(text)
      if (length > blockBytes)
        throw new FileRefused(`A cell of the workbook is longer than ${blockBytes} bytes; save it as CSV`)
      if (used + length > blockBytes) {
        blocks.push(Buffer.allocUnsafeSlow(blockBytes))
        used = 0
      }
      if (count === starts.length) {
        starts = grown(starts)
        lengths = grown(lengths)
      }
      blocks.at(-1)!.write(text, used)
      starts[count] = (blocks.length - 1) * blockBytes + used
      lengths[count] = length
      used += length
      count++
    },
    at(index) {
      const start = starts[index]
      if (start === undefined || index >= count) return ''
      const from = start % blockBytes
      return blocks[Math.floor(start / blockBytes)]!.toString('utf8', from, from + lengths[index]!)
    },
  }
}

function grown(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
