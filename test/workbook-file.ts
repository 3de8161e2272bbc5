// A small Excel workbook, made from values: texts that are shared, texts in their cells, numbers, days.
import { strToU8, zipSync } from 'fflate'

type Cell = string | number | boolean | null | { readonly inline: string } | { readonly day: number }

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

export function workbookFile(rows: readonly (readonly Cell[])[]): Uint8Array {
  const shared: string[] = []
  const cellXml = (cell: Cell, reference: string): string => {
    if (cell === null) return ''
    if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`
    if (typeof cell === 'boolean') return `<c r="${reference}" t="b"><v>${cell ? 1 : 0}</v></c>`
    if (typeof cell === 'string') return `<c r="${reference}" t="s"><v>${shared.push(cell) - 1}</v></c>`
    if ('day' in cell) return `<c r="${reference}" s="1"><v>${cell.day}</v></c>`
    return `<c r="${reference}" t="inlineStr"><is><t>${escaped(cell.inline)}</t></is></c>`
  }
  const sheet = rows.map((cells, row) => {
    const inside = cells.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${row + 1}`))
    return `<row r="${row + 1}">${inside.join('')}</row>`
  })
  const texts = shared.map((text) => `<si><t>${escaped(text)}</t></si>`)
  return packedSheet(sheet.join(''), texts.join(''))
}

/** The package around the XML of rows and of shared texts. */
export function packedSheet(rows: string, texts = ''): Uint8Array {
  const files = {
    'xl/worksheets/sheet1.xml': `<worksheet ${main}><sheetData>${rows}</sheetData></worksheet>`,
    'xl/workbook.xml': `<workbook ${main} xmlns:r="${relations}"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="x" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet ${main}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst ${main}>${texts}</sst>`,
  }
  return zipSync(
    Object.fromEntries(Object.entries(files).map(([name, xml]) => [name, strToU8(`<?xml version="1.0"?>${xml}`)])),
  )
}
