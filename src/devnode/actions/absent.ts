/** Actions of the network that the development node leaves out, and what it says when one is called. */

/** The reasons by the names of the absent actions, to be read behind "the development node". */
export const absentActions: ReadonlyMap<string, string> = new Map([
  ...names('keeps everything and digests nothing', 'auto_digest batch_digest trim_transaction_events'),
  ...names(
    'keeps no dates of a provider beside its own heights',
    'truflation_insert_records truflation_last_deployed_date',
  ),
])

/** Actions that the network runs from other actions only; a call from outside is refused as private. */
export const privateActions: ReadonlyMap<string, 'reads' | 'writes'> = new Map([
  ...names(
    'reads',
    `emit_auto_digest_notice get_current_group_sequence get_first_record_composed get_first_record_primitive
     get_high_value_primitive get_index_composed get_last_record_composed get_last_record_primitive
     get_latest_metadata_bool_core get_latest_metadata_core get_latest_metadata_int_core
     get_latest_metadata_ref_core get_latest_metadata_string_core get_low_value_primitive get_metadata_core
     get_metadata_priv_single get_record_composed get_record_primitive helper_assert_can_manage_members
     helper_assert_is_role_owner helper_assert_owner_addr helper_assert_role_exists helper_check_cache
     helper_lowercase_array helper_sanitize_wallets helper_split_string internal_get_base_value
     is_allowed_to_compose_all_core is_allowed_to_compose_core is_allowed_to_read_all_core
     is_allowed_to_read_core is_primitive_stream_batch_core is_stream_owner_core maa_dispatch_balance
     ob_get_participant_id stream_exists_batch_core truflation_first_rc_composed truflation_first_rc_primitive
     truflation_get_index_composed truflation_get_record_primitive truflation_last_rc_composed
     truflation_last_rc_primitive validate_stream_types_batch wallet_write_batch_core`,
  ),
  ...names(
    'writes',
    `check_leader_authorization distribute_fees get_market_bridge helper_create_data_providers
     helper_enqueue_prune_days maa_commission maa_dispatch_offramp maa_dispatch_transfer maa_do_withdraw
     maa_record_event match_burn match_direct match_mint match_orders ob_batch_unlock_collateral
     ob_cleanup_tx_payouts ob_get_or_create_participant ob_get_tx_payout ob_lock_collateral
     ob_record_net_impact ob_record_order_event ob_record_tx_impact ob_record_tx_payout ob_unlock_collateral
     process_settlement record_transaction_event sample_all_active_lp_rewards sample_lp_rewards
     validate_bridge validate_not_before_timestamp`,
  ),
])

function names<const T>(kind: T, list: string): readonly (readonly [name: string, kind: T])[] {
  return list.split(/\s+/).map((name) => [name, kind] as const)
}
