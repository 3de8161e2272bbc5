import type { Organisation, Device, Customer, TicketService, TicketInventory, TicketMessage, Ticket, Service, StockCorrection, InventoryItem, Quote, Invoice, Reminder, Payment, CalendarEvent, Station, TaxRate, TicketStatus, Occurrence, RecurringSchedule, RecurringPreset, InventoryCategory, AssetCategory, FormTemplate, FormRule, FormSubmission, Member, Mail, FinishedImport } from './records.js';
/** What an event carries in `data`, by its type. */
export interface EventData {
    /** A organisation was created. Told to those who hold `organisation:read`. */
    'organisation.created': Organisation | null;
    /** A organisation was updated. Told to those who hold `organisation:read`. */
    'organisation.updated': Organisation | null;
    /** Mail: failed. Told to those who hold `organisation:read`. */
    'mail.failed': Mail | null;
    /** A customer was created. Told to those who hold `customers:read`. */
    'customer.created': Customer | null;
    /** A customer was updated. Told to those who hold `customers:read`. */
    'customer.updated': Customer | null;
    /** A customer was deleted. Told to those who hold `customers:read`. */
    'customer.deleted': null;
    /** A device was created. Told to those who hold `devices:read`. */
    'device.created': Device | null;
    /** A device was updated. Told to those who hold `devices:read`. */
    'device.updated': Device | null;
    /** A device was deleted. Told to those who hold `devices:read`. */
    'device.deleted': null;
    /** A ticket was created. Told to those who hold `tickets:read`. */
    'ticket.created': Ticket | null;
    /** A ticket was updated. Told to those who hold `tickets:read`. */
    'ticket.updated': Ticket | null;
    /** A ticket was deleted. Told to those who hold `tickets:read`. */
    'ticket.deleted': null;
    /** Ticket: status changed. Told to those who hold `tickets:read`. */
    'ticket.status_changed': Ticket | null;
    /** Ticket: scheduled. Told to those who hold `tickets:read`. */
    'ticket.scheduled': Ticket | null;
    /** Ticket: closed. Told to those who hold `tickets:read`. */
    'ticket.closed': Ticket | null;
    /** Ticket: reopened. Told to those who hold `tickets:read`. */
    'ticket.reopened': Ticket | null;
    /** A ticket service was created. Told to those who hold `tickets:read`. */
    'ticket_service.created': TicketService | null;
    /** A ticket service was updated. Told to those who hold `tickets:read`. */
    'ticket_service.updated': TicketService | null;
    /** A ticket service was deleted. Told to those who hold `tickets:read`. */
    'ticket_service.deleted': null;
    /** A ticket inventory was created. Told to those who hold `tickets:read`. */
    'ticket_inventory.created': TicketInventory | null;
    /** A ticket inventory was updated. Told to those who hold `tickets:read`. */
    'ticket_inventory.updated': TicketInventory | null;
    /** A ticket inventory was deleted. Told to those who hold `tickets:read`. */
    'ticket_inventory.deleted': null;
    /** A message was created. Told to those who hold `messages:read`. */
    'message.created': TicketMessage | null;
    /** A message was updated. Told to those who hold `messages:read`. */
    'message.updated': TicketMessage | null;
    /** A message was deleted. Told to those who hold `messages:read`. */
    'message.deleted': null;
    /** A service was created. Told to those who hold `services:read`. */
    'service.created': Service | null;
    /** A service was updated. Told to those who hold `services:read`. */
    'service.updated': Service | null;
    /** A service was deleted. Told to those who hold `services:read`. */
    'service.deleted': null;
    /** A inventory item was created. Told to those who hold `inventory:read`. */
    'inventory_item.created': InventoryItem | null;
    /** A inventory item was updated. Told to those who hold `inventory:read`. */
    'inventory_item.updated': InventoryItem | null;
    /** A inventory item was deleted. Told to those who hold `inventory:read`. */
    'inventory_item.deleted': null;
    /** Inventory item: low. Told to those who hold `inventory:read`. */
    'inventory_item.low': InventoryItem | null;
    /** A stock correction was created. Told to those who hold `inventory:read`. */
    'stock_correction.created': StockCorrection | null;
    /** A quote was created. Told to those who hold `quotes:read`. */
    'quote.created': Quote | null;
    /** A quote was updated. Told to those who hold `quotes:read`. */
    'quote.updated': Quote | null;
    /** A quote was deleted. Told to those who hold `quotes:read`. */
    'quote.deleted': null;
    /** Quote: sent. Told to those who hold `quotes:read`. */
    'quote.sent': Quote | null;
    /** Quote: viewed. Told to those who hold `quotes:read`. */
    'quote.viewed': Quote | null;
    /** Quote: accepted. Told to those who hold `quotes:read`. */
    'quote.accepted': Quote | null;
    /** Quote: declined. Told to those who hold `quotes:read`. */
    'quote.declined': Quote | null;
    /** Quote: expired. Told to those who hold `quotes:read`. */
    'quote.expired': Quote | null;
    /** Quote: converted. Told to those who hold `quotes:read`. */
    'quote.converted': Quote | null;
    /** A invoice was created. Told to those who hold `invoices:read`. */
    'invoice.created': Invoice | null;
    /** A invoice was updated. Told to those who hold `invoices:read`. */
    'invoice.updated': Invoice | null;
    /** A invoice was deleted. Told to those who hold `invoices:read`. */
    'invoice.deleted': null;
    /** Invoice: sent. Told to those who hold `invoices:read`. */
    'invoice.sent': Invoice | null;
    /** Invoice: viewed. Told to those who hold `invoices:read`. */
    'invoice.viewed': Invoice | null;
    /** Invoice: overdue. Told to those who hold `invoices:read`. */
    'invoice.overdue': Invoice | null;
    /** Invoice: paid. Told to those who hold `invoices:read`. */
    'invoice.paid': Invoice | null;
    /** Invoice: reopened. Told to those who hold `invoices:read`. */
    'invoice.reopened': Invoice | null;
    /** A reminder was created. Told to those who hold `invoices:read`. */
    'reminder.created': Reminder | null;
    /** A reminder was updated. Told to those who hold `invoices:read`. */
    'reminder.updated': Reminder | null;
    /** A reminder was deleted. Told to those who hold `invoices:read`. */
    'reminder.deleted': null;
    /** A payment was created. Told to those who hold `payments:read`. */
    'payment.created': Payment | null;
    /** A payment was updated. Told to those who hold `payments:read`. */
    'payment.updated': Payment | null;
    /** A payment was deleted. Told to those who hold `payments:read`. */
    'payment.deleted': null;
    /** Payment: refunded. Told to those who hold `payments:read`. */
    'payment.refunded': Payment | null;
    /** A calendar event was created. Told to those who hold `calendar:read`. */
    'calendar_event.created': CalendarEvent | null;
    /** A calendar event was updated. Told to those who hold `calendar:read`. */
    'calendar_event.updated': CalendarEvent | null;
    /** A calendar event was deleted. Told to those who hold `calendar:read`. */
    'calendar_event.deleted': null;
    /** A station was created. Told to those who hold `stations:read`. */
    'station.created': Station | null;
    /** A station was updated. Told to those who hold `stations:read`. */
    'station.updated': Station | null;
    /** A station was deleted. Told to those who hold `stations:read`. */
    'station.deleted': null;
    /** A tax rate was created. Told to those who hold `tax-rates:read`. */
    'tax_rate.created': TaxRate | null;
    /** A tax rate was updated. Told to those who hold `tax-rates:read`. */
    'tax_rate.updated': TaxRate | null;
    /** A tax rate was deleted. Told to those who hold `tax-rates:read`. */
    'tax_rate.deleted': null;
    /** A ticket status was created. Told to those who hold `ticket-statuses:read`. */
    'ticket_status.created': TicketStatus | null;
    /** A ticket status was updated. Told to those who hold `ticket-statuses:read`. */
    'ticket_status.updated': TicketStatus | null;
    /** A ticket status was deleted. Told to those who hold `ticket-statuses:read`. */
    'ticket_status.deleted': null;
    /** A recurring schedule was created. Told to those who hold `recurring-schedules:read`. */
    'recurring_schedule.created': RecurringSchedule | null;
    /** A recurring schedule was updated. Told to those who hold `recurring-schedules:read`. */
    'recurring_schedule.updated': RecurringSchedule | null;
    /** A recurring schedule was deleted. Told to those who hold `recurring-schedules:read`. */
    'recurring_schedule.deleted': null;
    /** Recurring schedule: paused. Told to those who hold `recurring-schedules:read`. */
    'recurring_schedule.paused': RecurringSchedule | null;
    /** Recurring schedule: resumed. Told to those who hold `recurring-schedules:read`. */
    'recurring_schedule.resumed': RecurringSchedule | null;
    /** Recurring schedule: ended. Told to those who hold `recurring-schedules:read`. */
    'recurring_schedule.ended': RecurringSchedule | null;
    /** A occurrence was created. Told to those who hold `recurring-schedules:read`. */
    'occurrence.created': Occurrence | null;
    /** A occurrence was updated. Told to those who hold `recurring-schedules:read`. */
    'occurrence.updated': Occurrence | null;
    /** A occurrence was deleted. Told to those who hold `recurring-schedules:read`. */
    'occurrence.deleted': null;
    /** Occurrence: generated. Told to those who hold `recurring-schedules:read`. */
    'occurrence.generated': Occurrence | null;
    /** Occurrence: skipped. Told to those who hold `recurring-schedules:read`. */
    'occurrence.skipped': Occurrence | null;
    /** Occurrence: moved. Told to those who hold `recurring-schedules:read`. */
    'occurrence.moved': Occurrence | null;
    /** Occurrence: resized. Told to those who hold `recurring-schedules:read`. */
    'occurrence.resized': Occurrence | null;
    /** A recurring preset was created. Told to those who hold `recurring-schedules:read`. */
    'recurring_preset.created': RecurringPreset | null;
    /** A recurring preset was updated. Told to those who hold `recurring-schedules:read`. */
    'recurring_preset.updated': RecurringPreset | null;
    /** A recurring preset was deleted. Told to those who hold `recurring-schedules:read`. */
    'recurring_preset.deleted': null;
    /** A inventory category was created. Told to those who hold `categories:read`. */
    'inventory_category.created': InventoryCategory | null;
    /** A inventory category was updated. Told to those who hold `categories:read`. */
    'inventory_category.updated': InventoryCategory | null;
    /** A inventory category was deleted. Told to those who hold `categories:read`. */
    'inventory_category.deleted': null;
    /** A asset category was created. Told to those who hold `categories:read`. */
    'asset_category.created': AssetCategory | null;
    /** A asset category was updated. Told to those who hold `categories:read`. */
    'asset_category.updated': AssetCategory | null;
    /** A asset category was deleted. Told to those who hold `categories:read`. */
    'asset_category.deleted': null;
    /** A form template was created. Told to those who hold `forms:read`. */
    'form_template.created': FormTemplate | null;
    /** A form template was updated. Told to those who hold `forms:read`. */
    'form_template.updated': FormTemplate | null;
    /** A form template was deleted. Told to those who hold `forms:read`. */
    'form_template.deleted': null;
    /** A form rule was created. Told to those who hold `forms:read`. */
    'form_rule.created': FormRule | null;
    /** A form rule was updated. Told to those who hold `forms:read`. */
    'form_rule.updated': FormRule | null;
    /** A form rule was deleted. Told to those who hold `forms:read`. */
    'form_rule.deleted': null;
    /** A form submission was created. Told to those who hold `forms:read`. */
    'form_submission.created': FormSubmission | null;
    /** A form submission was updated. Told to those who hold `forms:read`. */
    'form_submission.updated': FormSubmission | null;
    /** A form submission was deleted. Told to those who hold `forms:read`. */
    'form_submission.deleted': null;
    /** Form submission: submitted. Told to those who hold `forms:read`. */
    'form_submission.submitted': FormSubmission | null;
    /** A member was created. Told to those who hold `members:read`. */
    'member.created': Member | null;
    /** A member was updated. Told to those who hold `members:read`. */
    'member.updated': Member | null;
    /** A member was deleted. Told to those who hold `members:read`. */
    'member.deleted': null;
    /** Import: finished. Told to those who hold `imports:read`. */
    'import.finished': FinishedImport | null;
}
