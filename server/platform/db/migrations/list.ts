import { migration0001 } from './0001_initial_schema.ts';
import { migration0002 } from './0002_run_indexes.ts';
import { migration0003 } from './0003_saved_views.ts';
import { migration0004 } from './0004_run_tasks.ts';
import { migration0005 } from './0005_trusted_devices.ts';
import { migration0006 } from './0006_event_companies.ts';
import { migration0007 } from './0007_accounts.ts';
import { migration0008 } from './0008_impersonation.ts';
import { migration0009 } from './0009_deleted_companies_index.ts';
import { migration0010 } from './0010_identities.ts';
import { migration0011 } from './0011_result_rules.ts';
import { migration0012 } from './0012_tickets.ts';
import { migration0013 } from './0013_hints.ts';
import { migration0015 } from './0015_license_months.ts';
import { migration0016 } from './0016_connections.ts';
import { migration0014 } from './0014_reports.ts';
import { migration0018 } from './0018_support_requests.ts';
import { migration0019 } from './0019_audit_index.ts';
import { migration0020 } from './0020_daily_totals.ts';
import { migration0021 } from './0021_sla_alarms.ts';
import { migration0022 } from './0022_notifications.ts';
import { migration0023 } from './0023_api_keys.ts';
import { migration0024 } from './0024_invoices.ts';
import { migration0025 } from './0025_problem_cause_index.ts';
import { migration0029 } from './0029_ingest_usage.ts';
import { migration0034 } from './0034_email_confirmation.ts';
import { migration0035 } from './0035_background_jobs.ts';
import { migration0036 } from './0036_pinned_companies.ts';
import { migration0037 } from './0037_engine.ts';
import { migration0038 } from './0038_cloud_suite.ts';
import { migration0039 } from './0039_engine_upkeep.ts';
import { migration0040 } from './0040_backup_runs.ts';
import { migration0041 } from './0041_downloads.ts';
import { migration0042 } from './0042_verification.ts';
import { migration0043 } from './0043_directory_lists.ts';
import { migration0044 } from './0044_restore_rights.ts';
import { migration0046 } from './0046_restore_tasks.ts';
import { migration0047 } from './0047_attached_repositories.ts';
import { migration0048 } from './0048_repository_upkeep_requests.ts';
import { migration0049 } from './0049_field_names.ts';
import { migration0050 } from './0050_sites.ts';
import { migration0051 } from './0051_import_servers.ts';
import { migration0052 } from './0052_restore_requests.ts';
import { migration0053 } from './0053_vb365_servers.ts';
import { migration0054 } from './0054_background_downloads.ts';
import { migration0055 } from './0055_imports.ts';
import { migration0056 } from './0056_usage_days.ts';
import { migration0060 } from './0060_restore_roles.ts';
import { migration0061 } from './0061_operators.ts';
import { migration0062 } from './0062_restore_audit.ts';
import { migration0063 } from './0063_vb365_explorers.ts';
import { migration0064 } from './0064_subscriptions.ts';
import { migration0065 } from './0065_payments.ts';
import { migration0066 } from './0066_item_words.ts';
import { migration0067 } from './0067_item_text.ts';
import { migration0068 } from './0068_download_folders.ts';
import { migration0069 } from './0069_log_hashes.ts';
import { migration0070 } from './0070_sign_up_links.ts';
import { migration0071 } from './0071_month_invoices.ts';
import { migration0072 } from './0072_hint_summaries.ts';
import { migration0073 } from './0073_object_storage.ts';
import { migration0074 } from './0074_vb365_restore_codes.ts';
import { migration0075 } from './0075_object_lock.ts';
import { migration0076 } from './0076_proxies.ts';
import { migration0077 } from './0077_vb365_downloads.ts';
import { migration0079 } from './0079_hold_names.ts';
import { migration0080 } from './0080_shared_counts.ts';
import { migration0081 } from './0081_open_scopes.ts';
import { migration0082 } from './0082_command_holders.ts';
import { migration0083 } from './0083_reread_texts.ts';
import { migration0084 } from './0084_removed_repositories.ts';
import { migration0085 } from './0085_certificate_warnings.ts';
import { migration0086 } from './0086_hint_ratings.ts';
import { migration0087 } from './0087_listed_downloads.ts';
import { migration0088 } from './0088_job_kinds.ts';
import { migration0089 } from './0089_stripe_reads.ts';
import { migration0090 } from './0090_vb365_feeds.ts';
import { migration0091 } from './0091_vb365_licensed_users.ts';
import { migration0092 } from './0092_undo_authors.ts';
import { migration0093 } from './0093_collected_months.ts';
import { migration0095 } from './0095_sharing.ts';
import { migration0097 } from './0097_licensed_spans.ts';
import { migration0098 } from './0098_missing_items.ts';
import { migration0099 } from './0099_uncollected_months.ts';
import { migration0100 } from './0100_version_limit.ts';
import { migration0101 } from './0101_superseded_keys.ts';
import { migration0102 } from './0102_chain_ends.ts';
import { migration0103 } from './0103_log_checks.ts';
import { migration0104 } from './0104_protections.ts';
import { migration0106 } from './0106_rights_of_running_restores.ts';
import { migration0109 } from './0109_exclusions.ts';
import { migration0112 } from './0112_restore_claims.ts';
import { migration0113 } from './0113_pending_keys.ts';
import { migration0114 } from './0114_claims_of_tasks.ts';
import { migration0118 } from './0118_log_cuts.ts';
import { migration0119 } from './0119_used_pairs.ts';
import { migration0130 } from './0130_log_line_times.ts';
import { migration0131 } from './0131_unnumbered_objects.ts';
import { migration0132 } from './0132_team_sites.ts';
import { migration0133 } from './0133_command_times.ts';
import { migration0136 } from './0136_audit_organizations.ts';
import { migration0137 } from './0137_post_keys.ts';
import { migration0138 } from './0138_append_only_policies.ts';
import { migration0139 } from './0139_running_tasks.ts';
import { migration0140 } from './0140_items_by_time.ts';
import { migration0143 } from './0143_stopping_tasks.ts';
import { migration0144 } from './0144_items_by_time.ts';
import { migration0145 } from './0145_reread_workbooks.ts';
import type { Migration } from './migration.ts';

/** In the order in which they run. Never change a published migration: add one. */
export const MIGRATIONS: readonly Migration[] = [
  migration0001,
  migration0002,
  migration0003,
  migration0004,
  migration0005,
  migration0006,
  migration0007,
  migration0008,
  migration0009,
  migration0010,
  migration0011,
  migration0012,
  migration0013,
  migration0014,
  migration0015,
  migration0016,
  migration0018,
  migration0019,
  migration0020,
  migration0021,
  migration0022,
  migration0023,
  migration0024,
  migration0025,
  migration0029,
  migration0034,
  migration0035,
  migration0036,
  migration0037,
  migration0038,
  migration0039,
  migration0040,
  migration0041,
  migration0042,
  migration0043,
  migration0044,
  migration0046,
  migration0047,
  migration0048,
  migration0049,
  migration0050,
  migration0051,
  migration0052,
  migration0053,
  migration0054,
  migration0055,
  migration0056,
  migration0060,
  migration0061,
  migration0062,
  migration0063,
  migration0064,
  migration0065,
  migration0066,
  migration0067,
  migration0068,
  migration0069,
  migration0070,
  migration0071,
  migration0072,
  migration0073,
  migration0074,
  migration0075,
  migration0076,
  migration0077,
  migration0079,
  migration0080,
  migration0081,
  migration0082,
  migration0083,
  migration0084,
  migration0085,
  migration0086,
  migration0087,
  migration0088,
  migration0089,
  migration0090,
  migration0091,
  migration0092,
  migration0093,
  migration0095,
  migration0097,
  migration0098,
  migration0099,
  migration0100,
  migration0101,
  migration0102,
  migration0103,
  migration0104,
  migration0106,
  migration0109,
  migration0112,
  migration0113,
  migration0114,
  migration0118,
  migration0119,
  migration0130,
  migration0131,
  migration0132,
  migration0133,
  migration0136,
  migration0137,
  migration0138,
  migration0139,
  migration0140,
  migration0143,
  migration0144,
  migration0145,
];
