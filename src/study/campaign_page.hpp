// What a campaign found, as a page that stands alone.
#pragma once

#include <string>

#include <ulna/campaign/campaign.hpp>

namespace ulna::internal {

/// A run that is shown in motion.
struct ShownRun {
  std::string title;
  campaign::Replay replay;
};

/// What the page shows beyond the summary; nothing of it where the campaign's own file cannot be read again.
struct CampaignViews {
  std::optional<campaign::Campaign> campaign{};
  std::vector<ShownRun> runs{};
  std::optional<campaign::TorqueMap> map{};
};
/// The worst runs, made again, and the torques that the worst of them leaves over the workspace.
CampaignViews campaign_views(const campaign::Campaign& campaign, const campaign::Report& report);

/// `command` makes a run again: the run's number is put behind it.
std::string campaign_page(const campaign::Report& report, const std::string& file, const std::string& command, const CampaignViews& views);

}  // namespace ulna::internal
