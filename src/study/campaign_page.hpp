// What a campaign found, as a page that stands alone.
#pragma once

#include <string>

#include <ulna/campaign/campaign.hpp>

namespace ulna::internal {

/// `file` is the campaign's, for the commands that make a run again.
std::string campaign_page(const campaign::Report& report, const std::string& file);

}  // namespace ulna::internal
