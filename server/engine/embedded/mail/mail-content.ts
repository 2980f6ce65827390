import type { Ms } from '#contract/ids.ts';

export interface MailPerson {
  readonly name: string;
  readonly address: string;
}
export interface MailRecipient extends MailPerson {
  readonly kind: 'to' | 'cc' | 'bcc';
}

/** A mail as formats of other programs have it: decoded, and otherwise as it was sent. */
export interface MailContent {
  readonly subject: string;
  readonly from: MailPerson | null;
  /** Who sent it for `from`. */
  readonly sender: MailPerson | null;
  readonly recipients: readonly MailRecipient[];
  readonly sentAt: Ms | null;
  /** The lines before the body. */
  readonly headers: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly messageId: string | null;
  readonly inReplyTo: string | null;
  readonly references: string | null;
  readonly importance: 'low' | 'normal' | 'high';
  readonly attachments: readonly MailAttachment[];
}
export type MailAttachment = {
  readonly name: string;
  readonly mediaType: string;
  readonly contentId: string | null;
  /** Part of the text, such as a picture. */
  readonly isInline: boolean;
} & (
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'message'; readonly message: MailContent }
);

/** What a mailbox stores beside a mail. */
export interface MailState {
  readonly receivedAt: Ms;
  readonly isRead: boolean;
  readonly isDraft: boolean;
  readonly isFlagged: boolean;
  readonly isAnswered?: boolean | undefined;
  /** Null: as the mail has it. */
  readonly importance: MailContent['importance'] | null;
  readonly categories: readonly string[];
}
