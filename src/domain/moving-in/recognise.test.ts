// Files of other systems by the names of their columns, and what their rows become. The rows are made up.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Source } from './kinds.ts'
import { groupKey, readDraft } from './read-draft.ts'
import { FileRefused, recognise, unusedColumns } from './recognise.ts'
import { settle } from './settle.ts'

const draftOf = (columns: readonly string[], ...rows: readonly (readonly string[])[]) => {
  const found = recognise([columns, ...rows])
  const file = { ...found, dateOrders: {}, decimalCommas: [], timeZone: 'UTC' }
  const numbered = rows.map((cells, index) => ({ row: index + 2, cells }))
  return {
    ...readDraft(found.source, file, numbered),
    found,
    keys: numbered.map((row) => groupKey(found, row, undefined)),
  }
}

describe('a header', () => {
  for (const [source, kind, header] of [
    [
      'jobber',
      'customers',
      'J-ID,Is Company?,Display Name,First Name,Last Name,Main Phone #s,E-mails,Service Street 1',
    ],
    ['jobber', 'jobs', '\ufeffJob #,Client name,Client email,Title,Created date,Closed date'],
    ['jobber', 'quotes', 'Quote #,Client name,Title,Status,Total ($),Drafted date'],
    ['jobber', 'invoices', 'Invoice #,Client name,Subject,Status,Total ($),Balance ($),Issued date'],
    ['housecallpro', 'customers', 'ID,First Name,Last Name,Customer Type,Address_1 Street Line 1,Address_2 City'],
    ['housecallpro', 'jobs', 'Job #,Customer name,Job description,Job status,Job scheduled start date'],
    ['housecallpro', 'services', 'uuid,industry,category,name,price,task_code'],
    ['housecallpro', 'inventory', 'uuid,category,name,price,cost,task_code,part_number'],
    ['servicem8', 'inventory', 'Item Number,Name,Price,Price Includes Taxes,Item is Inventoried'],
    ['repairdesk', 'inventory', 'Item ID,Item Name,SKU,On Hand Qty,Cost Price,Re-Order Level'],
    ['repairdesk', 'invoices', 'Invoice Date,Invoice number,Item Name,Imei/Serial,Price,Tax,Quantity'],
    ['square', 'customers', 'Reference ID,First Name,Last Name,Email Address,Square Customer ID'],
    ['square', 'inventory', 'Token,Item Name,Variation Name,SKU,Price,Current Quantity Main Street'],
    ['quickbooks', 'inventory', 'Product/service name,Category,Item type,SKU,Sales price/rate,Quantity on hand'],
    ['quickbooks', 'invoices', '*InvoiceNo,*Customer,*InvoiceDate,*DueDate,ItemQuantity,ItemRate,*ItemAmount'],
    ['xero', 'customers', '*ContactName,EmailAddress,POAddressLine1,POCity'],
    ['xero', 'inventory', '*ItemCode,ItemName,Quantity,SalesUnitPrice'],
    ['xero', 'invoices', 'ContactName,POAddressLine1,InvoiceNumber,Total,Quantity,UnitAmount'],
    ['invoiceninja', 'invoices', 'client.name,invoice.number,invoice.amount'],
    ['google', 'customers', 'First Name,Last Name,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Value'],
    ['google', 'customers', 'Name,Given Name,Family Name,E-mail 1 - Value'],
    ['outlook', 'customers', 'First Name,Last Name,Company,Business Street,E-mail Address,E-mail Display Name'],
    ['jobwright', 'customers', 'firstName,lastName,email,phone'],
    ['generic', 'customers', 'Vorname,Nachname,E-Mail,Telefon'],
    ['generic', 'devices', 'Client email,Serial number,Make,Model'],
    ['generic', 'inventory', 'Name,SKU,Price,Stock'],
    ['generic', 'services', 'Service name,Price'],
    ['generic', 'jobs', 'Ticket number,Subject,Status'],
    ['generic', 'quotes', 'Estimate number,Customer,Total'],
    ['generic', 'invoices', 'Invoice no,Customer,Total'],
  ] as const satisfies readonly (readonly [Source, string, string])[])
    test(`${header.slice(0, 60)} is ${kind} from ${source}`, () => {
      const found = recognise([header.split(',')])
      assert.deepEqual([found.source, found.kind], [source, kind])
    })

  test('is found below titles', () => {
    const found = recognise([['Aged report'], ['as of today', ''], [''], ['Name', 'Email'], ['Bea', 'b@x.example']])
    assert.equal(found.headerIndex, 3)
  })

  test('that says nothing is refused, with the names that were found', () => {
    assert.throws(
      () =>
        recognise([
          ['Foo', 'Bar'],
          ['1', '2'],
        ]),
      (error) => error instanceof FileRefused && /Foo, Bar/.test(error.message),
    )
  })

  test('names its unused columns, and a map decides', () => {
    const found = recognise([['Name', 'Email', 'Shoe size', 'Mobile no.']], { map: { 'Mobile no.': 'phone' } })
    assert.deepEqual([unusedColumns(found), found.targets], [['Shoe size'], ['fullName', 'email', null, 'phone']])
  })
})

describe('customers', () => {
  test('of Jobber are one for all their properties, without gate codes for names', () => {
    const header = [
      'J-ID',
      'Is Company?',
      'Company Name',
      'First Name',
      'Last Name',
      'Main Phone #s',
      'Mobile Phone #s',
      'E-mails',
      'Service Street 1',
      'Service City',
      'Tags',
      'CFT[Gate]',
      'Archived',
    ]
    const { values, keys } = draftOf(
      header,
      [
        '17_1',
        'false',
        'gate 4711',
        'Amara',
        'Okafor',
        '555 0100 100; 555 0100 101',
        '555 0100 102',
        'a@x.example,b@x.example',
        '12 Mill Lane',
        'Leeds',
        'vip',
        '9',
        'false',
      ],
      ['17_2', 'false', 'gate 4711', 'Amara', 'Okafor', '', '', '', '3 Dock Road', 'Hull', '', '', 'false'],
    )
    assert.deepEqual(keys, ['is 17', 'is 17'])
    assert.deepEqual(
      [values.externalId, values.phone, values.email, values.address, values.businessName],
      ['17', '555 0100 100', 'a@x.example', '12 Mill Lane\nLeeds', undefined],
    )
    for (const part of [
      'Tags: vip',
      'CFT[Gate]: 9',
      'Company Name: gate 4711',
      'Other email: b@x.example',
      'Other phone: 555 0100 101, 555 0100 102',
      'Other address: 3 Dock Road, Hull',
    ])
      assert.ok(String(values.notes).includes(part), part)
    assert.equal(
      draftOf(header, ['18_1', '', '', 'Bea', '', '', '', '', '', '', '', '', 'true']).skipped,
      'Archived is set',
    )
  })

  test('without a first name get one, and that is listed', () => {
    const names = (columns: string[], row: string[]) => {
      const { values, repairs } = draftOf(columns, row)
      return [
        values.firstName,
        values.lastName,
        values.businessName,
        repairs.some(({ reason }) => reason.startsWith('there is no first name')),
      ]
    }
    const columns = ['First name', 'Last name', 'Company', 'Email']
    assert.deepEqual(names(columns, ['', 'Okafor', '', '']), ['Okafor', undefined, undefined, true])
    assert.deepEqual(names(columns, ['', '', 'Okafor Ltd', '']), ['Okafor Ltd', undefined, 'Okafor Ltd', true])
    assert.deepEqual(names(columns, ['', '', '', 'amara@x.example']), ['amara', undefined, undefined, true])
    assert.equal(draftOf(columns, ['', '', '', '']).problems.length, 1)
  })

  test('keep what is too long in the notes', () => {
    const { values, repairs } = draftOf(['First name', 'Last name', 'Email'], ['A', 'x'.repeat(150), ''])
    assert.deepEqual([String(values.lastName).length, String(values.notes).length], [100, 50])
    assert.match(repairs[0]!.reason, /the rest stands in the notes/)
  })

  test('never take a phone number that a spreadsheet has cut, or a postcode', () => {
    const { values, repairs } = draftOf(
      ['Name', 'Phone', 'Zip', 'Street'],
      ['Bea', '4.12346E+08', '1.2345678E+7', 'Dock Road'],
    )
    assert.deepEqual([values.phone, values.address], [undefined, 'Dock Road\n12345678'])
    assert.ok(repairs.some(({ reason }) => reason.includes('lost digits')))
  })

  test('of Square who only paid by card once are skipped', () => {
    const header = ['Square Customer ID', 'First Name', 'Email Address', 'Instant Profile']
    assert.equal(draftOf(header, ['x', '', '', 'TRUE']).skipped, 'it has no name')
    assert.equal(draftOf(header, ['x', 'Bea', '', 'TRUE']).skipped, undefined)
  })
})

describe('money', () => {
  const line = { name: 'Work', description: null, quantity: 1, unitPrice: 100 }
  const money = { lines: [line], deduction: 0 }
  test('is taxed at the rate that gives the stated tax', () => {
    const { taxRates, total } = settle({ ...money, taxTotal: 8.98, total: 108.98 }, 'USD')
    assert.deepEqual([taxRates, total], [[8.98], 108.98])
    assert.deepEqual(settle({ ...money, taxRate: 8.975, taxTotal: 8.98, total: 108.98 }, 'USD').taxRates, [8.975])
  })
  test('comes to what was stated, whatever the lines say', () => {
    const less = settle({ ...money, total: 90 }, 'GBP')
    assert.deepEqual([less.total, less.discount, less.notes.length], [90, 10, 1])
    const more = settle({ ...money, total: 103.33, taxTotal: 3 }, 'GBP')
    assert.deepEqual(
      [more.total, more.taxRates, more.lines.map(({ name, unitPrice }) => [name, unitPrice])],
      [
        ...[103.33, [3, null]],
        [
          ['Work', 100],
          ['Difference to the stated total', 0.33],
        ],
      ],
    )
    const neither = settle({ ...money, total: 101, taxTotal: 20 }, 'GBP')
    assert.deepEqual(
      [neither.total, neither.discount, neither.taxRates, neither.lines.map(({ name }) => name)],
      [101, 19, [null, null], ['Work', 'Tax']],
    )
    assert.equal(settle({ ...money, deduction: 25 }, 'GBP').total, 75)
  })
  test('of Jobber stands in one text', () => {
    const { money: read } = draftOf(
      ['Invoice #', 'Line items', 'Total ($)', 'Balance ($)'],
      ['5', 'Lawn Treatment (1, $64), Weeding (2, $10.50)', '85', '0'],
    )
    assert.deepEqual(
      read!.lines.map(({ name, quantity, unitPrice }) => [name, quantity, unitPrice]),
      [
        ['Lawn Treatment', 1, 64],
        ['Weeding', 2, 10.5],
      ],
    )
  })
})
