/** The flags of a shop's checkout team: their names, how far each has come, and what they do. */

export interface CatalogueFlag {
  readonly name: string;
  readonly description: string;
  readonly status: string;
  readonly tags: readonly string[];
  /** The share of `on` in Development, Staging, Production, Partner sandbox, Load testing; absent where not defined. */
  readonly shares: readonly (number | undefined)[];
  readonly killedIn?: string;
}

export const environmentNames = ['Development', 'Staging', 'Production', 'Partner sandbox', 'Load testing'] as const;

/** `name | description | status | tags | shares | killed in` */
const lines = `
apple_pay_express_button | Apple Pay above the fold of the basket | Ramping | payments, mobile | 100 100 25 50
address_autocomplete | Suggests addresses after three letters | 100% Released | checkout | 100 100 100 100 100
basket_price_guarantee_banner | Says how long the prices in the basket hold | Experimenting | growth | 100 100 50
bulk_order_csv_upload_for_business_customers | Business customers upload a list of items | External Beta | b2b | 100 100 5 100
card_tokenisation_v3 | The third generation of stored cards | Ramping | payments, security | 100 100 10 - 100
carrier_pickup_points | Pick-up points of the carriers on a map | Ramping | delivery | 100 100 40
checkout_address_validation_via_external_provider_with_fallback | Checks addresses with a provider, or ourselves if it is down | Killed | checkout, reliability | 100 100 20 | Production
christmas_gift_wrapping | Wrapping paper and a card | Pre-Production | season | 100
consent_banner_2025 | The wording that our lawyers asked for | Internal Testing | legal | 100 100
credit_note_pdf | Credit notes as PDF in the customer's account | 100% Released | invoices | 100 100 100
currency_switcher | Prices in the currency that the customer chooses | Ramping | growth, pricing | 100 50 10 0
delivery_slot_picker | Two-hour slots instead of a day | External Beta | delivery | 100 100 15
delivery_estimates_by_machine_learning | Estimates from a model, not from the carrier's table | Experimenting | delivery, data | 100 100 50 - 100
discount_stacking | More than one voucher in a basket | Pre-Production | pricing | 100 0
dynamic_shipping_costs | Costs by weight and distance | Internal Testing | delivery, pricing | 100 100 1
express_checkout_for_returning_customers | One-click checkout for returning customers | Ramping | checkout, growth | 100 100 30 30
fraud_score_threshold_strict | A person reviews orders above the threshold | Permanent | security | 0 0 0
free_returns_label_in_box | The label comes with the parcel | 100% Released | delivery | 100 100 100
gift_cards_partial_redemption | The rest stays on the card | 0% in Production | payments | 100 100 0
google_pay | Google Pay on the payment page | 100% Released | payments | 100 100 100 100 100
guest_checkout_without_password | Check out without an account | 100% Released | checkout | 100 100 100
idempotent_order_submission | An order sent twice is placed once | Ramping | reliability | 100 100 75 - 100
instalments_in_six_rates | Pay in six instalments | Internal Testing | payments | 100 25 0
inventory_reservation_on_basket | Reserves what is in the basket for ten minutes | Killed | reliability | 100 100 60 | Production
invoice_by_email_only | No paper unless the customer asks for it | 100% Released | invoices | 100 100 100
klarna_widget_lazy_loading | Loads the widget when it comes into view | Ramping | payments, speed | 100 100 50
live_order_tracking_map | Where the parcel is, on a map | External Beta | delivery, mobile | 100 100 10
loyalty_points_at_checkout | Points can be spent like money | Pre-Production | growth | 50
mobile_bottom_sheet_basket | The basket as a sheet on phones | Experimenting | mobile | 100 100 50
new_tax_engine | Taxes from the new service | Internal Testing | pricing, legal | 100 100 0 - 100
one_time_password_for_risky_orders | A code by text message if the fraud score is high | Ramping | security | 100 100 20
order_confirmation_redesign | The page after the purchase | Ramping | checkout | 100 100 80
order_history_infinite_scroll | The order history scrolls instead of paging | Removed from Code | checkout | 100 100 100
packaging_choice_reusable | Reusable boxes that customers send back | Pre-Production | delivery | 100
payment_retry_with_second_acquirer | Tries the other acquirer when the first declines | Ramping | payments, reliability | 100 100 35 - 100
paypal_vault | Remembers the PayPal account | 100% Released | payments | 100 100 100 100
price_rounding_per_country | Rounds prices as each country does | 100% Released | pricing | 100 100 100
product_bundles_in_basket | Bundles stay together in the basket | Internal Testing | checkout | 100 50
queue_for_peak_hours | A waiting room in front of the checkout | Permanent | reliability | 0 0 0 - 100
rate_limit_basket_api | At most sixty changes to a basket per minute | Permanent | reliability, security | 100 100 100 100 100
recommendations_below_basket | What others bought with these items | Experimenting | growth, data | 100 100 50
sepa_direct_debit | Direct debit in euro | 100% Released | payments | 100 100 100 100
shipping_insurance_upsell | Insurance for parcels above 200 | 0% in Production | growth | 100 100 0
split_payment_two_cards | Pay with two cards | Pre-Production | payments | 0
store_pickup_same_day | Collect within two hours | Ramping | delivery | 100 100 15
subscription_pause | Pause a subscription for a month | External Beta | growth | 100 100 5
tax_id_validation_for_european_business_customers | Checks tax ids in the register of the European Commission | Ramping | b2b, legal | 100 100 60 60
temporary_dark_store_inventory | Stock of the dark stores | Pre-Production | delivery |
two_factor_for_stored_cards | A second factor before a new card is stored | Internal Testing | security, payments | 100 100 0
voucher_service_v2 | The new voucher service | Ramping | pricing | 100 100 45 - 100
wallet_balance_in_header | The balance beside the customer's name | 100% Released | payments | 100 100 100
wishlist_share_link | Wish lists have a link to share | Removed from Code | growth | 100 100 100
`;

export const catalogue: readonly CatalogueFlag[] = lines
  .trim()
  .split('\n')
  .map((line) => {
    const [name = '', description = '', status = '', tags = '', shares = '', killedIn] = line
      .split('|')
      .map((part) => part.trim());
    return {
      name,
      description,
      status,
      tags: tags.split(', '),
      shares: shares
        .split(' ')
        .filter(Boolean)
        .map((share) => (share === '-' ? undefined : Number(share))),
      ...(killedIn === undefined ? {} : { killedIn }),
    };
  });
