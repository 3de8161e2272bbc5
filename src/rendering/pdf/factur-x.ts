// A PDF that carries its e-invoice: PDF/A-3 with the XML attached, and metadata that say so, as Factur-X and ZUGFeRD want it.
import type PDFDocument from 'pdfkit'
import { escapeXml } from '../../domain/e-invoice/xml.ts'

type Document = typeof PDFDocument

/** What the document is made with from the start. */
export const facturXOptions = { subset: 'PDF/A-3b' } as const

const fileName = 'factur-x.xml'
const namespace = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#'

interface Properties {
  readonly title: string
  readonly author: string
  readonly at: Date
}

export function carryEInvoice(doc: Document, xml: string, properties: Properties): void {
  doc.file(Buffer.from(xml), {
    name: fileName,
    type: 'text/xml',
    description: 'Factur-X invoice',
    creationDate: properties.at,
    modifiedDate: properties.at,
    relationship: 'Alternative',
  } as PDFKit.Mixins.PDFAttachmentOptions)
  // pdfkit writes names into the metadata as they are: one with an ampersand would make them unreadable.
  const written = doc as unknown as { appendXML(text: string): void; _addInfo(): void }
  written._addInfo = () => written.appendXML(infoXml(properties))
  written.appendXML(facturXXml)
}

const about = (namespaces: string, content: string) =>
  `<rdf:Description rdf:about="" ${namespaces}>${content}</rdf:Description>`

function infoXml({ title, author, at }: Properties): string {
  const moment = `${at.toISOString().split('.')[0]}Z`
  return [
    about(
      'xmlns:xmp="http://ns.adobe.com/xap/1.0/"',
      `<xmp:CreateDate>${moment}</xmp:CreateDate><xmp:ModifyDate>${moment}</xmp:ModifyDate><xmp:CreatorTool>Jobwright</xmp:CreatorTool>`,
    ),
    about(
      'xmlns:dc="http://purl.org/dc/elements/1.1/"',
      `<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(title)}</rdf:li></rdf:Alt></dc:title>` +
        `<dc:creator><rdf:Seq><rdf:li>${escapeXml(author)}</rdf:li></rdf:Seq></dc:creator>`,
    ),
    about('xmlns:pdf="http://ns.adobe.com/pdf/1.3/"', '<pdf:Producer>Jobwright</pdf:Producer>'),
  ].join('\n')
}

const values = { DocumentType: 'INVOICE', DocumentFileName: fileName, Version: '1.0', ConformanceLevel: 'EN 16931' }
const meanings = {
  DocumentType: 'The type of the document',
  DocumentFileName: 'The name of the attached file',
  Version: 'The version of the standard',
  ConformanceLevel: 'The profile of the attached file',
}

/** The four values, and the description of them without which PDF/A knows no such values. */
const facturXXml = [
  about(
    `xmlns:fx="${namespace}"`,
    Object.entries(values)
      .map(([name, value]) => `<fx:${name}>${value}</fx:${name}>`)
      .join(''),
  ),
  about(
    'xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#"',
    `<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource"><pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema><pdfaSchema:namespaceURI>${namespace}</pdfaSchema:namespaceURI><pdfaSchema:prefix>fx</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq>${Object.entries(
      meanings,
    )
      .map(
        ([name, meaning]) =>
          `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>${meaning}</pdfaProperty:description></rdf:li>`,
      )
      .join('')}</rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas>`,
  ),
].join('\n')
